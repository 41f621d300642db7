// Results as they come: each event brings the part of the page with the numbers to what it says now.

// So many events a second may come; a page is asked for at most once in this time.
const pause = 1000;
const part = document.getElementById("results");
let isAsking = false;
let isStale = false;

// The page is brought to what a fresh copy of it says and keeps what is there: charts, focus, what is open.
const isAlike = (old, fresh) => old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName;
const keyOf = (node) => node.nodeType === Node.ELEMENT_NODE ? node.dataset.key : undefined;

function renewAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    const isKept = name === "open" && old.matches("details");
    if (!isKept && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function renewChildren(old, fresh) {
  const wanted = new Set([...fresh.childNodes].map(keyOf).filter(Boolean));
  const known = new Map();
  for (const child of [...old.children]) {
    const key = keyOf(child);
    if (!key) continue;
    if (wanted.has(key)) known.set(key, child); else child.remove();
  }
  let place = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const key = keyOf(node);
    const match = key ? known.get(key) : place && !keyOf(place) && isAlike(place, node) ? place : undefined;
    if (!match) { old.insertBefore(node, place); continue; }
    if (match === place) place = place.nextSibling; else old.insertBefore(match, place);
    renew(match, node);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function renew(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
  } else if (old.matches(".chart")) {
    // Its canvas belongs to a script; which chart it is stands in the page.
    Object.assign(old.dataset, fresh.dataset);
  } else {
    renewAttributes(old, fresh);
    renewChildren(old, fresh);
  }
}

async function ask() {
  if (isAsking) { isStale = true; return; }
  isAsking = true;
  try {
    const response = await fetch(location.href, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("results");
    if (response.ok && fresh) {
      renew(part, fresh);
      document.dispatchEvent(new Event("renewed"));
    }
  } catch { /* the stream tells again once the service is back */ }
  setTimeout(() => {
    isAsking = false;
    if (isStale) { isStale = false; ask(); }
  }, pause);
}

if (part) {
  const stream = new EventSource(part.dataset.live);
  let isFirst = true;
  // A session that has ended, or a meeting that is there no more: what is shown is old.
  stream.addEventListener("error", () => {
    const ended = document.getElementById("ended");
    if (ended && stream.readyState === EventSource.CLOSED) ended.hidden = false;
  });
  stream.addEventListener("results", (event) => {
    // The first one says where the results are, which the page may show already.
    if (!isFirst || event.lastEventId !== part.dataset.revision) ask();
    isFirst = false;
  });
}

const printing = document.getElementById("print");
if (printing) {
  printing.hidden = false;
  printing.addEventListener("click", () => print());
}

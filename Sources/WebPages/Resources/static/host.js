// Updates the results on a page while answers come in. After an event, the page is loaded again, and the part with the
// results is changed in place.

// The page is loaded at most once in this time, in milliseconds, even if there are many events per second.
const minInterval = 1000;
const part = document.getElementById("results");
let isLoading = false;
let isStale = false;

// Only nodes that differ are changed, so that charts, the focus and unfolded parts are preserved.
const isSameKind = (old, fresh) => old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName;
const keyOf = (node) => node.nodeType === Node.ELEMENT_NODE ? node.dataset.key : undefined;

function updateAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    const isPreserved = name === "open" && old.matches("details");
    if (!isPreserved && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function updateChildren(old, fresh) {
  const wanted = new Set([...fresh.childNodes].map(keyOf).filter(Boolean));
  const known = new Map();
  for (const child of [...old.children]) {
    const key = keyOf(child);
    if (!key) continue;
    if (wanted.has(key)) known.set(key, child); else child.remove();
  }
  let current = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const key = keyOf(node);
    const match = key ? known.get(key) : current && !keyOf(current) && isSameKind(current, node) ? current : undefined;
    if (!match) { old.insertBefore(node, current); continue; }
    if (match === current) current = current.nextSibling; else old.insertBefore(match, current);
    update(match, node);
  }
  while (current) {
    const next = current.nextSibling;
    current.remove();
    current = next;
  }
}

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
  } else if (old.matches(".chart")) {
    // The canvas was drawn by a script. Only the attributes that describe the chart come from the page.
    Object.assign(old.dataset, fresh.dataset);
  } else {
    updateAttributes(old, fresh);
    updateChildren(old, fresh);
  }
}

// The numbers of the copy that was requested last, and of the one that is shown.
let requested = 0;
let shown = 0;

// Shows a copy of the page, unless a later one is shown already.
function show(text, number = requested += 1) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("results");
  if (!fresh || number < shown) return;
  shown = number;
  update(part, fresh);
  document.dispatchEvent(new Event("renewed"));
}

async function load() {
  const number = requested += 1;
  try {
    const response = await fetch(location.href, { credentials: "same-origin" });
    const text = await response.text();
    if (response.ok) show(text, number);
  } catch { /* The stream sends another event once the service is back. */ }
}

// Another script has changed the address, or has a fresh copy of the page.
document.addEventListener("moved", () => load());
document.addEventListener("loaded", ({ detail }) => show(detail));

async function reload() {
  if (isLoading) { isStale = true; return; }
  isLoading = true;
  await load();
  setTimeout(() => {
    isLoading = false;
    if (isStale) { isStale = false; reload(); }
  }, minInterval);
}

// Whether this page can still be opened. Null if nobody knows, because the service does not answer.
async function isAvailable() {
  try {
    const response = await fetch(location.href, { credentials: "same-origin" });
    return response.status >= 500 || response.status === 429 ? null : response.ok && !response.redirected;
  } catch { return null; }
}

let isFirst = true;

function watch() {
  const stream = new EventSource(part.dataset.live);
  // After a lost connection the browser connects again by itself, but not after a response of another kind: that of a
  // proxy while the service restarts, or a refusal because the session has ended or the meeting was deleted.
  stream.addEventListener("error", async () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    const ended = document.getElementById("ended");
    if (await isAvailable() === false && ended) ended.hidden = false; else setTimeout(watch, 3000);
  });
  stream.addEventListener("results", (event) => {
    // The first event reports the current revision, which the page may already show.
    if (!isFirst || event.lastEventId !== part.dataset.revision) reload();
    isFirst = false;
  });
  // What a host's remote shows on the stage.
  stream.addEventListener("stage", ({ data }) => {
    document.dispatchEvent(new CustomEvent("shown", { detail: JSON.parse(data) }));
  });
}

if (part) watch();

const printButton = document.getElementById("print");
if (printButton) {
  printButton.hidden = false;
  printButton.addEventListener("click", () => print());
}

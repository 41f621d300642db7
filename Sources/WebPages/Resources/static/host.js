// Updates the results on a page while answers come in. After an event, the page is loaded again, and the part with the
// results is changed in place.

// The page is loaded at most once in this time, in milliseconds, even if there are many events per second.
const minInterval = 1000;
// The longest time between two attempts while the service does not answer or refuses the stream, in milliseconds.
const maxPause = 30000;
const part = document.getElementById("results");
const notice = document.getElementById("ended");
let stream = null;
let isLoading = false;
let isStale = false;
let isOver = false;
// At least `minInterval`. The events of a page for guests have a longer time if many viewers are connected.
let interval = minInterval;
// The timer after which the page may be loaded again.
let timer = null;
// How often in a row the page or its stream was not available.
let failures = 0;

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

// A fresh copy of this page, or the page that says why there is none. Throws if the service does not answer, or has too
// much to do.
async function load() {
  const number = requested += 1;
  const response = await fetch(location.href, { credentials: "same-origin" });
  if (response.status >= 500 || [408, 429].includes(response.status)) throw new Error("not available");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { page, number, status: response.status, isOpen: response.ok && !response.redirected };
}

// Shows a copy of this page, unless a later one is shown already.
function show(page, number = requested += 1) {
  const fresh = page.getElementById("results");
  if (!fresh || number < shown) return;
  shown = number;
  update(part, fresh);
  document.dispatchEvent(new Event("renewed"));
}

// Another script has changed the address.
document.addEventListener("moved", async () => {
  try {
    const copy = await load();
    if (copy.isOpen) show(copy.page, copy.number);
  } catch { /* The stream sends another event once the service is back. */ }
});

// Another script has a fresh copy of the page.
document.addEventListener("loaded", ({ detail }) => show(new DOMParser().parseFromString(detail, "text/html")));

// Says that the page can no longer be opened. A page for guests says why, and then shows no more than a reload would.
function end({ page, status }) {
  isOver = true;
  if (!notice) return;
  if (notice.dataset.gone) {
    notice.textContent = status === 404 ? notice.dataset.gone : page.querySelector("h1").textContent;
    part.remove();
  }
  notice.hidden = false;
}

async function reload() {
  isLoading = true;
  isStale = false;
  const start = performance.now();
  try {
    const copy = await load();
    // While the stream goes on, only this browser's proof of having answered has expired.
    if (!copy.isOpen && !stream) { end(copy); return; }
    if (copy.isOpen) show(copy.page, copy.number);
    if (notice) notice.hidden = copy.isOpen;
    failures = copy.isOpen && stream ? 0 : failures + 1;
  } catch {
    isStale = true;
    failures += 1;
  }
  isLoading = false;
  // A slow service is asked less often. The pages of a hall do not all come back at the same moment.
  const pause = failures > 0
    ? Math.min(maxPause, 3000 * 2 ** (failures - 1)) * (0.75 + Math.random() / 2)
    : Math.max(interval, 2 * (performance.now() - start));
  timer = setTimeout(proceed, pause);
}

function proceed() {
  clearTimeout(timer);
  timer = null;
  if (isOver) return;
  if (isStale) reload(); else if (!stream) watch();
}

// Loads the page within `spread` milliseconds, or once it may be loaded again.
function reloadSoon(spread = 0) {
  isStale = true;
  if (isLoading || timer !== null) return;
  if (spread > 0) timer = setTimeout(proceed, Math.random() * spread); else proceed();
}

let isFirst = true;

function watch() {
  const source = new EventSource(part.dataset.live);
  stream = source;
  // Whether the page can still be opened decides what follows.
  const lose = () => {
    if (stream !== source) return;
    source.close();
    stream = null;
    reloadSoon();
  };
  source.addEventListener("end", () => {
    lose();
    if (!isLoading) proceed();
  });
  // After a lost connection the browser connects again by itself, but not after a response of another kind: that of a
  // proxy while the service restarts, or a refusal because the session has ended or the meeting was deleted.
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) lose();
  });
  source.addEventListener("results", (event) => {
    interval = Math.max(minInterval, Number(event.data) || 0);
    // The first event reports the current revision, which the page may already show.
    if (!isFirst || event.lastEventId !== part.dataset.revision) reloadSoon(interval - minInterval);
    isFirst = false;
  });
  // What a host's remote shows on the stage, or has shown there before this stream began.
  for (const name of ["stage", "lastStage"]) {
    source.addEventListener(name, ({ data }) => {
      const event = new CustomEvent("shown", { detail: JSON.parse(data) });
      document.dispatchEvent(Object.assign(event, { isPast: name === "lastStage" }));
    });
  }
}

// Does not wait for the next attempt once the network is back, or the page is shown again from the browser's memory.
function reconnect() {
  if (isOver) return;
  failures = 0;
  stream?.close();
  watch();
  if (!isLoading) proceed();
}

if (part) {
  watch();
  addEventListener("online", reconnect);
  addEventListener("pageshow", (event) => { if (event.persisted) reconnect(); });
}

const printButton = document.getElementById("print");
if (printButton) {
  printButton.hidden = false;
  printButton.addEventListener("click", () => print());
}

// Shows one slide of the stage at a time. Without this script, all slides are below each other.

const stage = document.querySelector(".stage");
const controls = document.getElementById("stage-controls");
const position = document.getElementById("stage-position");
let current = location.hash.slice(1) || (stage.dataset.phase === "closed" ? "slide-end" : "");
let phase = stage.dataset.phase;
// Whether the host has chosen no slide here yet.
let isNew = !location.hash;
let isComparing = false;
let isBlank = false;
// The slide to which the page was applied last.
let shown = "";

const slides = () => [...stage.querySelectorAll(".slide")];
const control = (name) => controls.querySelector(`[data-go=${name}]`);

// Applied again after each update of the page, which removes classes that only this script sets.
function apply() {
  const all = slides();
  const index = Math.max(0, all.findIndex((slide) => slide.id === current));
  current = all[index].id;
  if (shown !== current) all[index].querySelector(".stage-texts")?.scrollTo(0, 0);
  shown = current;
  all.forEach((slide, at) => slide.classList.toggle("current", at === index));
  stage.classList.add("staged");
  stage.classList.toggle("comparing", isComparing);
  control("compare").hidden = !stage.querySelector(".since, .change");
  control("compare").setAttribute("aria-pressed", isComparing);
  control("words").hidden = !all[index].querySelector(".stage-switch");
  control("words").setAttribute("aria-pressed", showsWords(all[index]));
  stage.classList.toggle("blank", isBlank);
  const text = `${index + 1} / ${all.length}`;
  if (position.textContent !== text) position.textContent = text;
  if (location.hash.slice(1) !== current) history.replaceState(null, "", "#" + current);
  fit(all[index]);
  moveTexts();
  countTexts(all[index]);
}

// Makes the contents of a slide as large as the height of the window allows. Texts stay readable from afar: if not all
// have room, they are shown a page at a time.
const sizes = Array.from({ length: 19 }, (_, step) => 1.2 - .05 * step);
const smallestOfTexts = .7;
function fit(slide) {
  const texts = slide.querySelector(".stage-texts:has(blockquote)");
  const place = texts?.scrollTop;
  for (const size of sizes) {
    slide.style.setProperty("--fit", size);
    const isWhole = slide.scrollWidth <= slide.clientWidth
      && [slide, texts].every((part) => !part || part.scrollHeight <= part.clientHeight);
    if (isWhole || texts && size - .05 < smallestOfTexts) break;
  }
  if (texts) texts.scrollTop = place;
}

// Texts that have no room on the slide are shown a page at a time, before the next slide.
function turnTexts(steps) {
  const list = stage.querySelector(".slide.current .stage-texts");
  if (!list || isBlank) return false;
  const before = list.scrollTop;
  // The next page begins with the first text that was cut off, and the page before it ends there.
  const height = list.clientHeight;
  const start = list.offsetTop + before + (steps > 0 ? 0 : -height);
  const tops = [...list.querySelectorAll("blockquote")].filter((text) => steps > 0
    ? text.offsetTop + text.offsetHeight > start + height : text.offsetTop >= start).map((text) => text.offsetTop);
  if (tops.length === 0) return false;
  const next = Math.min(...tops) - list.offsetTop;
  // A text that is higher than the page is turned by most of the page.
  const isMoving = steps > 0 ? next > before : next < before;
  list.scrollTop = isMoving ? next : before + steps * height * .85;
  countTexts(list.closest(".slide"));
  return Math.abs(list.scrollTop - before) > 8;
}

// Says which of the texts are in sight, if not all of them are.
function countTexts(slide) {
  const notice = slide.querySelector(".stage-seen");
  if (!notice) return;
  const list = slide.querySelector(".stage-texts");
  const start = list.offsetTop + list.scrollTop;
  const texts = [...slide.querySelectorAll("blockquote")];
  const middles = texts.map((text) => text.offsetTop + text.offsetHeight / 2);
  const above = middles.filter((middle) => middle < start).length;
  const below = middles.filter((middle) => middle > start + list.clientHeight).length;
  const numbers = { first: above + 1, last: texts.length - below, count: texts.length };
  const text = notice.dataset.text.replace(/\{(\w+)\}/g, (_, name) => numbers[name]);
  notice.textContent = above + below > 0 ? text : "";
}

// Pages of texts follow each other by themselves, unless the host has turned them within half a minute.
const textsTurnEvery = 10000;
let turnedAt = 0;
function rollTexts() {
  if (Date.now() - turnedAt < 3 * textsTurnEvery || turnTexts(1)) return;
  const slide = stage.querySelector(".slide.current");
  const list = slide?.querySelector(".stage-texts");
  if (!list || list.scrollTop === 0) return;
  list.scrollTop = 0;
  countTexts(slide);
}
setInterval(rollTexts, textsTurnEvery);

function go(steps) {
  turnedAt = Date.now();
  if (Math.abs(steps) === 1 && turnTexts(steps)) return;
  const all = slides();
  const index = all.findIndex((slide) => slide.id === current) + steps;
  current = all[Math.min(Math.max(index, 0), all.length - 1)].id;
  isBlank = false;
  apply();
}

// The address names the question whose words are shown in place of its texts.
const key = (slide) => slide.id.replace("slide-q-", "");
const showsWords = (slide) => new URLSearchParams(location.search).get("words") === key(slide);

function setWords(slide, isOn) {
  if (!slide.querySelector(".stage-switch") || showsWords(slide) === isOn) return;
  const address = new URL(location.href);
  if (isOn) address.searchParams.set("words", key(slide)); else address.searchParams.delete("words");
  history.replaceState(null, "", address);
  apply();
  document.dispatchEvent(new Event("moved"));
}

function toggleWords() {
  const slide = stage.querySelector(".slide.current");
  setWords(slide, !showsWords(slide));
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen(); else document.documentElement.requestFullscreen?.();
}

// The positions of the texts that were on the wall before. Null for those of other slides.
const places = new Map();
let isStarted = false;
const flight = { duration: 600, easing: "ease-out", fill: "backwards" };

// New texts fly in one after the other, from the top, and those below them move down.
function moveTexts() {
  const arrivals = [];
  const isStill = !isStarted || matchMedia("(prefers-reduced-motion: reduce)").matches;
  for (const slide of slides()) {
    const isVisible = slide.id === current && !isBlank;
    for (const text of slide.querySelectorAll(".stage-texts blockquote")) {
      const name = slide.id + " " + text.dataset.key;
      const before = places.get(name);
      const now = isVisible ? text.offsetTop : null;
      places.set(name, now);
      if (isStill || now === null) continue;
      if (before === undefined) arrivals.push(text);
      else if (before !== null && before !== now) {
        text.animate([{ transform: `translateY(${before - now}px)` }, { transform: "none" }], flight);
      }
    }
  }
  arrivals.sort((one, other) => one.offsetTop - other.offsetTop).forEach((text, index) => {
    const frames = [{ opacity: 0, transform: "translateY(-2em)" }, { opacity: 1, transform: "none" }];
    text.animate(frames, { ...flight, delay: 250 * index });
  });
  isStarted = true;
}

const actions = {
  previous: () => go(-1),
  next: () => go(1),
  first: () => go(-slides().length),
  last: () => go(slides().length),
  compare: () => { isComparing = !isComparing; apply(); },
  words: toggleWords,
  full: toggleFullScreen,
  blank: () => { isBlank = !isBlank; apply(); },
};
// Clickers send the page keys, and "." or "b" for a blank screen.
const keys = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next", " ": "next",
  ArrowLeft: "previous", ArrowUp: "previous", PageUp: "previous", Backspace: "previous",
  Home: "first", End: "last", f: "full", c: "compare", w: "words", b: "blank", ".": "blank",
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // A focused button or link keeps the keys that activate it.
  if ([" ", "Enter"].includes(event.key) && event.target.closest("button, a")) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  perform(action);
});

// A button that was clicked gives back the keys, which change the slide.
addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("button")?.blur();
});

controls.hidden = false;
controls.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go]");
  if (button) perform(button.dataset.go);
});

function perform(action) {
  isNew = false;
  actions[action]();
  if (action !== "full") reportLater();
}

// The remotes follow what is chosen here, so that their next button continues from it. A stage that only shows results
// has no remote.
const remote = controls.querySelector("[data-remote]");
const reports = new Map();
const name = ({ slide, blank, comparing, words }) => `${slide} ${!!blank} ${!!comparing} ${!!words}`;
let reportTimer;

function reportLater() {
  clearTimeout(reportTimer);
  if (remote) reportTimer = setTimeout(report, 200);
}

async function report() {
  const csrf = stage.querySelector("input[name=csrf]");
  if (!csrf) return;
  const slide = stage.querySelector(".slide.current");
  const view = {
    slide: slide.id.replace("slide-", ""), blank: isBlank, comparing: isComparing, words: showsWords(slide),
  };
  const query = new URLSearchParams({ slide: view.slide });
  for (const flag of ["comparing", "words"]) if (view[flag]) query.set(flag, "1");
  const body = new URLSearchParams({ csrf: csrf.value, act: isBlank ? "blank" : `show:${view.slide}` });
  reports.set(name(view), Date.now());
  const options = { method: "POST", body, credentials: "same-origin", redirect: "manual" };
  try { await fetch(`${remote.dataset.remote}?${query}`, options); } catch { /* Remotes follow the next one. */ }
}

// Sent without leaving the page, which would end the full screen. The event stream then brings the new state.
stage.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const body = new URLSearchParams(new FormData(form, event.submitter));
  try {
    const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    if (!response.ok) location.assign(form.action);
  } catch { /* The host can press the button again. */ }
});

// The remote of a host's phone, or another stage. The echo of what was chosen here is ignored, because the host may have
// chosen another slide since.
document.addEventListener("shown", ({ detail, isPast }) => {
  // A stage that is loaded again keeps the slide of its address.
  if (isPast && !isNew) return;
  isNew = false;
  const reportedAt = reports.get(name(detail));
  reports.delete(name(detail));
  if (Date.now() - reportedAt < 5000) return;
  const slide = document.getElementById("slide-" + detail.slide);
  if (!slide) return;
  [current, isBlank, isComparing] = [slide.id, detail.blank, detail.comparing];
  apply();
  setWords(slide, detail.words);
});

document.addEventListener("renewed", () => {
  if (stage.dataset.phase !== phase) {
    phase = stage.dataset.phase;
    current = phase === "closed" ? "slide-end" : "slide-code";
    reportLater();
  }
  apply();
});

addEventListener("hashchange", () => { current = location.hash.slice(1); apply(); reportLater(); });
addEventListener("resize", apply);
// A remote that is opened later begins with this slide.
if (!isNew) reportLater();
apply();

// Shows one slide of the stage at a time. Without this script, all slides are below each other.

const stage = document.querySelector(".stage");
const controls = document.getElementById("stage-controls");
const position = document.getElementById("stage-position");
let current = location.hash.slice(1);
let phase = stage.dataset.phase;
let isComparing = false;
let isBlank = false;

const slides = () => [...stage.querySelectorAll(".slide")];

// Applied again after each update of the page, which removes classes that only this script sets.
function apply() {
  const all = slides();
  const index = Math.max(0, all.findIndex((slide) => slide.id === current));
  current = all[index].id;
  all.forEach((slide, at) => slide.classList.toggle("current", at === index));
  stage.classList.add("staged");
  stage.classList.toggle("comparing", isComparing);
  controls.querySelector("[data-go=compare]").hidden = !stage.querySelector(".since, .change");
  stage.classList.toggle("blank", isBlank);
  const text = `${index + 1} / ${all.length}`;
  if (position.textContent !== text) position.textContent = text;
  if (location.hash.slice(1) !== current) history.replaceState(null, "", "#" + current);
  countDown();
}

function move(steps) {
  const all = slides();
  const index = all.findIndex((slide) => slide.id === current) + steps;
  current = all[Math.min(Math.max(index, 0), all.length - 1)].id;
  isBlank = false;
  apply();
}

function toggleComparison() {
  isComparing = !isComparing;
  controls.querySelector("[data-go=compare]").setAttribute("aria-pressed", isComparing);
  apply();
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen(); else document.documentElement.requestFullscreen?.();
}

// The last hour before the close is counted down.
function countDown() {
  const closing = stage.querySelector("[data-closes]");
  if (!closing) return;
  const seconds = Math.max(0, Math.ceil((Date.parse(closing.dataset.closes) - Date.now()) / 1000));
  if (seconds >= 3600) return;
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  closing.classList.add("counting");
  if (closing.textContent !== text) closing.textContent = text;
}

const actions = {
  previous: () => move(-1),
  next: () => move(1),
  first: () => move(-slides().length),
  last: () => move(slides().length),
  compare: toggleComparison,
  full: toggleFullScreen,
  blank: () => { isBlank = !isBlank; apply(); },
};
// Clickers send the page keys, and "." or "b" for a blank screen.
const keys = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next", " ": "next",
  ArrowLeft: "previous", ArrowUp: "previous", PageUp: "previous", Backspace: "previous",
  Home: "first", End: "last", f: "full", c: "compare", b: "blank", ".": "blank",
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // A focused button or link keeps the keys that activate it.
  if ([" ", "Enter"].includes(event.key) && event.target.closest("button, a")) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  actions[action]();
});

controls.hidden = false;
controls.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go]");
  if (button) actions[button.dataset.go]();
});

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

document.addEventListener("renewed", () => {
  if (stage.dataset.phase !== phase) {
    phase = stage.dataset.phase;
    current = phase === "closed" ? "slide-end" : "slide-code";
  }
  apply();
});

addEventListener("hashchange", () => { current = location.hash.slice(1); apply(); });
setInterval(countDown, 250);
apply();

// The builder without page loads: what a button does is done by the service all the same, with what was typed.
const form = document.getElementById("builder");
const said = document.getElementById("said");
const parts = () => document.getElementById("parts");
const cards = () => [...document.querySelectorAll(".built")];
let isChanged = form.dataset.changed === "yes";
let isLeaving = false;
let isAsking = false;

function say(text) {
  said.textContent = "";
  // Said anew even if it is the same as before.
  requestAnimationFrame(() => { said.textContent = text; });
}

function change() {
  if (!isChanged) said.textContent = form.dataset.unsaved;
  isChanged = true;
}

async function press(act) {
  if (isAsking) return;
  isAsking = true;
  const open = [...document.querySelectorAll("details[id]")].filter((part) => part.open).map((part) => part.id);
  const body = new URLSearchParams(new FormData(form));
  body.set("act", act);
  // Nothing may be typed that the answer would then replace.
  parts().inert = true;
  try {
    const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("parts");
    if (!fresh) throw new Error("no form in the answer");
    parts().replaceWith(fresh);
    // What a question had open stays open, unless questions changed their places.
    const isSame = /^option-|^add:/.test(act);
    for (const id of open) {
      const part = document.getElementById(id);
      if (part && (isSame || id === "settings")) part.open = true;
    }
    isChanged = true;
    prepare();
    fresh.querySelector("[autofocus]")?.focus();
    say(page.getElementById("said").textContent);
  } catch {
    parts().inert = false;
    say(form.dataset.away);
  }
  isAsking = false;
}

form.addEventListener("submit", (event) => {
  const act = event.submitter?.value ?? "save";
  if (act === "preview") return;
  if (act === "save") { isLeaving = true; return; }
  event.preventDefault();
  press(act);
});
form.addEventListener("input", change);
form.addEventListener("change", change);
// As in a list: Enter makes the next line.
form.addEventListener("keydown", (event) => {
  const option = event.target.dataset?.option;
  if (event.key !== "Enter" || option === undefined || event.isComposing) return;
  event.preventDefault();
  press(`option-add:${event.target.closest(".built").dataset.index}:${option}`);
});
addEventListener("beforeunload", (event) => {
  if (isChanged && !isLeaving) event.preventDefault();
});
addEventListener("pageshow", () => { isLeaving = false; });

// Where a question would go if it were let go here.
function target(dragged, height) {
  const others = cards().filter((card) => card !== dragged);
  const after = others.find((card) => {
    const box = card.getBoundingClientRect();
    return height < box.top + box.height / 2;
  });
  for (const card of others) card.classList.remove("drop-before", "drop-after");
  if (after) after.classList.add("drop-before"); else others.at(-1)?.classList.add("drop-after");
  return after ? others.indexOf(after) : others.length;
}

function drag(handle, start) {
  const card = handle.closest(".built");
  const index = Number(card.dataset.index);
  let place = index;
  let height = start.clientY;
  let isOver = false;
  handle.setPointerCapture(start.pointerId);
  card.classList.add("dragged");
  const scroll = () => {
    if (isOver) return;
    const edge = height < 72 ? -12 : height > innerHeight - 144 ? 12 : 0;
    if (edge) { scrollBy(0, edge); place = target(card, height); }
    requestAnimationFrame(scroll);
  };
  const move = (event) => { height = event.clientY; place = target(card, height); };
  const end = (isDropped) => {
    isOver = true;
    handle.removeEventListener("pointermove", move);
    for (const each of cards()) each.classList.remove("dragged", "drop-before", "drop-after");
    if (isDropped && place !== index) press(`move:${index}:${place}`);
  };
  handle.addEventListener("pointermove", move);
  handle.addEventListener("pointerup", () => end(true), { once: true });
  handle.addEventListener("pointercancel", () => end(false), { once: true });
  requestAnimationFrame(scroll);
}

function prepare() {
  for (const handle of document.querySelectorAll(".handle")) {
    handle.hidden = false;
    handle.addEventListener("pointerdown", (event) => {
      if (event.button === 0) { event.preventDefault(); handle.focus(); drag(handle, event); }
    });
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const index = Number(handle.closest(".built").dataset.index);
      if (index + step >= 0 && index + step < cards().length) press(`move:${index}:${index + step}`);
    });
  }
}

prepare();

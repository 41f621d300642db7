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

// After these all fields keep their places, but for the options after a new one.
const isAddition = (act) => /^(add|option-add):/.test(act);
const addition = (option) => `option-add:${option.closest(".built").dataset.index}:${option.dataset.option}`;
const takesText = (field) => field?.matches("input:not([type=checkbox]), textarea") ?? false;

// What is typed while an addition is on its way is meant for the field that it brings; `ahead` was typed even earlier.
function typeAhead(act, ahead) {
  const start = document.activeElement;
  const edited = new Set();
  let typed = ahead;
  const key = (event) => {
    if (![start, document.body].includes(document.activeElement) || event.isComposing) return;
    const isChord = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
    if (isChord || event.metaKey) return;
    if (event.key.length === 1) typed += event.key;
    else if (event.key === "Enter" && act.startsWith("option-add")) typed += "\n";
    else if (event.key === "Backspace" && typed) typed = [...typed].slice(0, -1).join("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const edit = (event) => { edited.add(event.target); };
  if (isAddition(act)) document.addEventListener("keydown", key, true);
  form.addEventListener("input", edit);

  const end = () => {
    document.removeEventListener("keydown", key, true);
    form.removeEventListener("input", edit);
  };
  // The same field in the new markup.
  const twin = (fresh, field) => {
    const [, question, option] = /^option-add:(\d+):(\d+)$/.exec(act) ?? [];
    const [, of, place] = /^q(\d+)-option-(\d+)$/.exec(field.id) ?? [];
    const isAfter = option !== undefined && of === question && Number(place) > Number(option);
    const id = isAfter ? `q${of}-option-${Number(place) + 1}` : field.id;
    return id ? fresh.querySelector("#" + CSS.escape(id)) : null;
  };
  // Puts the answer's markup in place; gives back what is meant for still another option, and the one that it follows.
  const replace = (old, fresh) => {
    end();
    const active = document.activeElement;
    const isElsewhere = active !== start && old.contains(active);
    const caret = takesText(active) ? [active.selectionStart, active.selectionEnd] : null;
    old.replaceWith(fresh);
    for (const field of edited) {
      const other = old.contains(field) ? twin(fresh, field) : null;
      if (other?.type === "checkbox") other.checked = field.checked; else if (other) other.value = field.value;
    }
    const wanted = fresh.querySelector("[autofocus]") ?? (typed ? twin(fresh, start) : null);
    wanted?.focus();
    const [line, ...more] = typed.split("\n");
    if (line && takesText(wanted)) wanted.setRangeText(line, wanted.selectionStart, wanted.selectionEnd, "end");
    const place = isElsewhere ? twin(fresh, active) : null;
    place?.focus();
    if (place && caret?.[0] != null) place.setSelectionRange(...caret);
    return more.length && wanted?.dataset.option !== undefined ? { after: wanted, typed: more.join("\n") } : null;
  };
  const giveBack = () => {
    end();
    const line = typed.replaceAll("\n", " ");
    if (line && takesText(start)) start.setRangeText(line, start.selectionStart, start.selectionEnd, "end");
  };
  return { replace, giveBack };
}

async function press(act, ahead = "") {
  if (isAsking) return;
  isAsking = true;
  const open = [...document.querySelectorAll("details[id]")].filter((part) => part.open).map((part) => part.id);
  const body = new URLSearchParams(new FormData(form));
  body.set("act", act);
  const typing = typeAhead(act, ahead);
  // Nothing may be typed that the answer would then replace.
  if (!isAddition(act)) parts().inert = true;
  let next = null;
  try {
    const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("parts");
    if (!fresh) throw new Error("no form in the answer");
    // What a question had open stays open, unless questions changed their places.
    const isSame = /^option-|^add:/.test(act);
    for (const id of open) {
      const part = fresh.querySelector("#" + CSS.escape(id));
      if (part && (isSame || id === "settings")) part.open = true;
    }
    next = typing.replace(parts(), fresh);
    isChanged = true;
    prepare();
    // A handle is there only now.
    if (document.activeElement === document.body) parts().querySelector("[autofocus]")?.focus();
    say(page.getElementById("said").textContent);
  } catch {
    typing.giveBack();
    parts().inert = false;
    say(form.dataset.away);
  }
  isAsking = false;
  if (next) press(addition(next.after), next.typed);
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
// The part is folded as a rule.
document.getElementById("to-settings").addEventListener("click", (event) => {
  event.preventDefault();
  const settings = document.getElementById("settings");
  settings.open = true;
  settings.scrollIntoView();
  settings.querySelector("summary").focus({ preventScroll: true });
});
// As in a list: Enter goes to the next line where that is empty, else makes one.
form.addEventListener("keydown", (event) => {
  const option = event.target.dataset?.option;
  if (event.key !== "Enter" || option === undefined || event.isComposing) return;
  event.preventDefault();
  const place = Number(option) + 1;
  const next = event.target.closest(".built").querySelector(`[data-option="${place}"]`);
  if (next && !next.value && !isAsking) next.focus(); else press(addition(event.target));
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

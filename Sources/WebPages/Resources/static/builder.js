// Uses the form builder without page loads. A button still sends what was typed to the service, and this script puts the
// changed part of the response on the page.
const form = document.getElementById("builder");
const statusLine = document.getElementById("said");
const undoButton = document.getElementById("undo");
const parts = () => document.getElementById("parts");
const cards = () => [...document.querySelectorAll(".built")];
let isChanged = form.dataset.changed === "yes";
let isLeaving = false;
let isSending = false;
// Whether anything was typed since the last button, so that a text field can take it back itself.
let hasTyped = false;

function announce(text) {
  statusLine.textContent = "";
  // Screen readers announce the text again even if it has not changed.
  requestAnimationFrame(() => { statusLine.textContent = text; });
}

function change() {
  if (!isChanged) statusLine.textContent = form.dataset.unsaved;
  isChanged = true;
}

// Actions that add a question or an option. All fields keep their names, except the options after a new one.
const keepsPositions = (action) => /^option-|^add:|^if-/.test(action);
const isAddition = (action) => /^(add|option-add):/.test(action);
const additionAfter = (option) => `option-add:${option.closest(".built").dataset.index}:${option.dataset.option}`;
const takesText = (field) => field?.matches("input:not([type=checkbox]), textarea") ?? false;

// While an addition is being sent, keys are collected for the field that it adds. `ahead` is text that was collected
// during the previous addition.
function typeAhead(action, ahead) {
  const start = document.activeElement;
  const edited = new Set();
  let typed = ahead;
  const key = (event) => {
    if (![start, document.body].includes(document.activeElement) || event.isComposing) return;
    const isChord = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
    if (isChord || event.metaKey) return;
    if (event.key.length === 1) typed += event.key;
    else if (event.key === "Enter" && action.startsWith("option-add")) typed += "\n";
    else if (event.key === "Backspace" && typed) typed = [...typed].slice(0, -1).join("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const edit = (event) => { edited.add(event.target); };
  if (isAddition(action)) document.addEventListener("keydown", key, true);
  form.addEventListener("input", edit);

  const end = () => {
    document.removeEventListener("keydown", key, true);
    form.removeEventListener("input", edit);
  };
  // The same field in the new markup.
  const counterpart = (fresh, field) => {
    const [, question, option] = /^option-add:(\d+):(\d+)$/.exec(action) ?? [];
    const [, ofQuestion, position] = /^q(\d+)-option-(\d+)$/.exec(field.id) ?? [];
    const isAfter = option !== undefined && ofQuestion === question && Number(position) > Number(option);
    const id = isAfter ? `q${ofQuestion}-option-${Number(position) + 1}` : field.id;
    return id ? fresh.querySelector("#" + CSS.escape(id)) : null;
  };
  // Only saving checks the form, so the response has no marks. Those of fields that are as they were stay.
  const keepMarks = (old, fresh) => {
    for (const field of old.querySelectorAll('[aria-invalid="true"]')) {
      const mark = document.getElementById(field.id + "-fault");
      const other = mark && field.value === field.defaultValue ? counterpart(fresh, field) : null;
      if (!other || other.value !== field.value || other.hasAttribute("aria-invalid")) continue;
      const kept = mark.cloneNode(true);
      kept.id = other.id + "-fault";
      if (mark.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING) other.before(kept);
      else (other.closest(".option-row") ?? other).after(kept);
      other.setAttribute("aria-invalid", "true");
      other.setAttribute("aria-describedby", `${other.getAttribute("aria-describedby") ?? ""} ${kept.id}`.trim());
    }
  };
  // Replaces the markup with that of the response, and moves the collected text to the new field. If the text has more
  // lines, returns those lines and the option after which they are added.
  const replace = (old, fresh) => {
    end();
    if (keepsPositions(action)) keepMarks(old, fresh);
    const active = document.activeElement;
    const hasMoved = active !== start && old.contains(active);
    const caret = takesText(active) ? [active.selectionStart, active.selectionEnd] : null;
    old.replaceWith(fresh);
    for (const field of edited) {
      const other = old.contains(field) ? counterpart(fresh, field) : null;
      if (other?.type === "checkbox") other.checked = field.checked; else if (other) other.value = field.value;
    }
    const wanted = fresh.querySelector("[autofocus]") ?? (typed ? counterpart(fresh, start) : null);
    wanted?.focus();
    // A new question may have a usual title, which the first key replaces.
    if (action.startsWith("add:") && wanted?.value) wanted.select();
    const [line, ...more] = typed.split("\n");
    if (line && takesText(wanted)) wanted.setRangeText(line, wanted.selectionStart, wanted.selectionEnd, "end");
    const newActive = hasMoved ? counterpart(fresh, active) : null;
    newActive?.focus();
    if (newActive && caret?.[0] != null) newActive.setSelectionRange(...caret);
    return more.length && wanted?.dataset.option !== undefined ? { after: wanted, typed: more.join("\n") } : null;
  };
  // After an error, the collected text goes to the field that had the focus.
  const restore = () => {
    end();
    const line = typed.replaceAll("\n", " ");
    if (line && takesText(start)) start.setRangeText(line, start.selectionStart, start.selectionEnd, "end");
  };
  return { replace, restore };
}

// `pasted` is an option with the text of several lines that it gets, which its field cannot hold.
async function apply(action, ahead = "", pasted = null) {
  if (isSending) return;
  isSending = true;
  const open = [...document.querySelectorAll("details[id]")].filter((part) => part.open).map((part) => part.id);
  const body = new URLSearchParams(new FormData(form));
  body.set("act", action);
  if (pasted) {
    const texts = body.getAll(pasted.option.name);
    texts[Number(pasted.option.dataset.option)] = pasted.text;
    body.delete(pasted.option.name);
    for (const text of texts) body.append(pasted.option.name, text);
  }
  const typing = typeAhead(action, ahead);
  // Text that is typed now would be lost when the response replaces the fields.
  if (!isAddition(action)) parts().inert = true;
  let next = null;
  try {
    const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("parts");
    if (!fresh) throw new Error("the response has no form");
    // Unfolded parts of questions stay unfolded, unless the questions have other positions now.
    for (const id of open) {
      const part = fresh.querySelector("#" + CSS.escape(id));
      if (part && (keepsPositions(action) || id === "settings")) part.open = true;
    }
    next = typing.replace(parts(), fresh);
    if (!action.startsWith("fold:")) isChanged = true;
    hasTyped = false;
    undoButton.hidden = page.getElementById("undo").hidden;
    prepare();
    // `prepare` has shown the handles, so a handle can have the focus only now.
    if (document.activeElement === document.body) parts().querySelector("[autofocus]")?.focus();
    announce(page.getElementById("said").textContent);
  } catch {
    typing.restore();
    parts().inert = false;
    announce(form.dataset.away);
  }
  isSending = false;
  if (next) apply(additionAfter(next.after), next.typed);
}

form.addEventListener("submit", (event) => {
  const action = event.submitter?.value ?? "save";
  if (action === "preview") return;
  if (action === "save") { isLeaving = true; return; }
  event.preventDefault();
  apply(action);
});
// A link of the errors leads to the first wrong field of its question, so that the host can type at once.
form.addEventListener("click", (event) => {
  const link = event.target.closest('.alert a[href^="#"]');
  const field = link && document.getElementById(link.hash.slice(1))?.querySelector('[aria-invalid="true"]');
  if (!field) return;
  event.preventDefault();
  for (let part = field.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  field.focus();
});
// Another question of a condition has other answers.
form.addEventListener("change", ({ target }) => { if (target.dataset.pick) apply(target.dataset.pick); });
form.addEventListener("input", () => { hasTyped = true; });
form.addEventListener("input", change);
form.addEventListener("change", change);
// The settings are usually folded, so the link unfolds them.
document.getElementById("to-settings").addEventListener("click", (event) => {
  event.preventDefault();
  const settings = document.getElementById("settings");
  settings.open = true;
  settings.scrollIntoView();
  settings.querySelector("summary").focus({ preventScroll: true });
});
// As in a list, Enter moves to the next option if that is empty; otherwise it adds an option.
form.addEventListener("keydown", (event) => {
  const option = event.target.dataset?.option;
  if (event.key !== "Enter" || option === undefined || event.isComposing) return;
  event.preventDefault();
  const nextIndex = Number(option) + 1;
  const next = event.target.closest(".built").querySelector(`[data-option="${nextIndex}"]`);
  if (next && !next.value && !isSending) next.focus(); else apply(additionAfter(event.target));
});
// A list that is pasted into an option becomes one option for each line.
form.addEventListener("paste", (event) => {
  const option = event.target;
  if (option.dataset?.option === undefined) return;
  const lines = event.clipboardData.getData("text/plain").split(/[\r\n]+/).filter((line) => line.trim());
  if (lines.length < 2) return;
  event.preventDefault();
  const [before, after] = [option.value.slice(0, option.selectionStart), option.value.slice(option.selectionEnd)];
  const action = `option-lines:${option.closest(".built").dataset.index}:${option.dataset.option}`;
  apply(action, "", { option, text: before + lines.join("\n") + after });
});
document.addEventListener("keydown", (event) => {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z";
  if (!isUndo || undoButton.hidden || (hasTyped && takesText(event.target))) return;
  event.preventDefault();
  apply("undo");
});
// Folded questions stay folded when the page comes back.
form.addEventListener("formdata", ({ formData }) => {
  for (const part of document.querySelectorAll(".fold")) {
    const name = `q${part.closest(".built").dataset.index}.folded`;
    formData.delete(name);
    if (!part.open) formData.set(name, "on");
  }
});
form.addEventListener("toggle", ({ target }) => {
  const title = target.matches(".fold") ? target.querySelector("input[name$='.title']").value.trim() : "";
  if (title) target.querySelector(".when-folded").textContent = title;
}, true);
addEventListener("beforeunload", (event) => {
  if (isChanged && !isLeaving) event.preventDefault();
});
addEventListener("pageshow", () => { isLeaving = false; });

// The index at which a dragged question would be dropped, for a pointer at this height.
function dropIndex(dragged, height) {
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
  let newIndex = index;
  let height = start.clientY;
  let isOver = false;
  handle.setPointerCapture(start.pointerId);
  card.classList.add("dragged");
  const scroll = () => {
    if (isOver) return;
    const edge = height < 72 ? -12 : height > innerHeight - 144 ? 12 : 0;
    if (edge) { scrollBy(0, edge); newIndex = dropIndex(card, height); }
    requestAnimationFrame(scroll);
  };
  const move = (event) => { height = event.clientY; newIndex = dropIndex(card, height); };
  const end = (isDropped) => {
    isOver = true;
    handle.removeEventListener("pointermove", move);
    for (const each of cards()) each.classList.remove("dragged", "drop-before", "drop-after");
    if (isDropped && newIndex !== index) apply(`move:${index}:${newIndex}`);
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
      if (index + step >= 0 && index + step < cards().length) apply(`move:${index}:${index + step}`);
    });
  }
}

prepare();

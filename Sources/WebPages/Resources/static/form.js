// What a form can do besides being sent: it counts characters, keeps a draft, and sends itself once the network is back.
let form;
let status;
const drafts = (path) => `afterword-draft:${path}`;
const withdrawals = (path) => `afterword-withdrawn:${path}`;

// Private windows may have no storage: then nothing is kept, and everything else works.
const storage = {
  get(name) { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
  set(name, value) { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* full or forbidden */ } },
  remove(name) { try { localStorage.removeItem(name); } catch { /* forbidden */ } },
};

const characters = (text) => {
  if (typeof Intl.Segmenter !== "function") return [...text].length;
  let count = 0;
  for (const _ of new Intl.Segmenter().segment(text)) count += 1;
  return count;
};

function countCharacters(area) {
  const most = Number(area.dataset.max);
  const counter = document.createElement("p");
  counter.className = "counter";
  area.after(counter);
  const show = () => {
    const left = most - characters(area.value);
    counter.textContent = left < 0 ? status.dataset.over.replace("{over}", -left)
      : left <= Math.max(20, most / 5) ? status.dataset.left.replace("{left}", left) : "";
    counter.classList.toggle("fault", left < 0);
  };
  area.addEventListener("input", show);
  show();
}

// A radio that is chosen cannot be given back by itself.
function offerClearing(question) {
  const radios = [...question.querySelectorAll("input[type=radio]")];
  if (radios.length === 0) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "clear";
  button.textContent = status.dataset.clear;
  const show = () => { button.hidden = !radios.some((radio) => radio.checked); };
  button.addEventListener("click", () => {
    for (const radio of radios) radio.checked = false;
    show();
    radios[0].focus();
    form.dispatchEvent(new Event("input"));
  });
  question.append(button);
  question.addEventListener("change", show);
  form.addEventListener("restored", show);
  show();
}

const secrets = new Set(["csrf", "version", "key"]);
const filledIn = () => [...new FormData(form)].filter(([name, value]) => !secrets.has(name) && value !== "");

function restore(entries) {
  const values = new Map();
  for (const [name, value] of entries) values.set(name, [...(values.get(name) ?? []), value]);
  for (const field of form.elements) {
    if (!values.has(field.name)) continue;
    if (field.type === "radio" || field.type === "checkbox") field.checked = values.get(field.name).includes(field.value);
    else if (field.type !== "hidden" && field.type !== "submit") field.value = values.get(field.name)[0];
  }
  form.dispatchEvent(new Event("restored"));
}

function keepDraft(name) {
  const kept = storage.get(name);
  const isNew = filledIn().length === 0;
  if (kept?.entries?.length && isNew) {
    restore(kept.entries);
    // The same key: what was on its way when the network went is not counted twice.
    if (kept.key) form.elements.key.value = kept.key;
    status.textContent = status.dataset.restored;
    if (kept.isWaiting) send(name);
  }
  form.addEventListener("input", () => {
    const entries = filledIn();
    if (entries.length) storage.set(name, { entries, key: form.elements.key.value });
    else storage.remove(name);
  });
}

let isSending = false;

// Twice in a row is once; the key in it makes it once for the service too.
async function send(name) {
  if (isSending) return;
  isSending = true;
  const button = form.querySelector("button.send");
  button.disabled = true;
  const body = new URLSearchParams(new FormData(form));
  if (name) storage.set(name, { entries: filledIn(), key: form.elements.key.value, isWaiting: true });
  try {
    const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    if (response.redirected) {
      if (name) storage.remove(name);
      location.assign(response.url);
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    // Answers that were withdrawn come back with a key of their own.
    const key = page.querySelector("#form [name=key]")?.value ?? form.elements.key.value;
    if (name) storage.set(name, { entries: filledIn(), key });
    if (response.status === 413 && !page.getElementById("form")) {
      // Too much to be read at all: it stays here to be shortened.
      status.textContent = page.querySelector("h1").textContent;
      status.scrollIntoView({ block: "center" });
    } else {
      replacePage(page);
    }
  } catch {
    status.textContent = status.dataset.offline;
    addEventListener("online", () => send(name), { once: true });
  } finally {
    isSending = false;
    button.disabled = false;
  }
}

// The page with what is wrong, as it comes without a script too.
function replacePage(page) {
  document.title = page.title;
  document.getElementById("main").replaceWith(page.getElementById("main"));
  begin();
  document.getElementById("alert")?.focus();
}

function begin() {
  form = document.getElementById("form");
  status = document.getElementById("status");
  if (!form) return;
  const name = form.dataset.draft ? drafts(form.dataset.draft) : null;
  for (const area of form.querySelectorAll("textarea[data-max]")) countCharacters(area);
  for (const question of form.querySelectorAll("fieldset.question")) offerClearing(question);
  // Who writes an own answer means it.
  for (const own of form.querySelectorAll(".own")) {
    own.querySelector(".own-text").addEventListener("input", (event) => {
      if (event.target.value) own.querySelector("input").checked = true;
    });
  }
  if (name) keepDraft(name);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(name);
  });
}

const sent = document.getElementById("sent");
if (sent) {
  storage.remove(drafts(sent.dataset.draft));
  if ("final" in sent.dataset) storage.set(withdrawals(sent.dataset.draft), true);
}
begin();

// Back shows the form as it was, which takes nothing more after a withdrawal; the service says so at its address.
addEventListener("pageshow", (event) => {
  if (!form?.dataset.draft) return;
  const name = withdrawals(form.dataset.draft);
  const isBack = event.persisted || performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  if (!isBack) storage.remove(name);
  else if (storage.get(name)) location.replace(form.action);
});

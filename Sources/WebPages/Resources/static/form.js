// Additions to a participant's form, which also works without this script. It counts characters, stores a draft in the
// browser, and sends answers once the network is back.
let form;
let status;
const draftName = (path) => `afterword-draft:${path}`;
const withdrawalName = (path) => `afterword-withdrawn:${path}`;

// Private windows may have no storage. Then no draft is stored, but everything else works.
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
  const maxLength = Number(area.dataset.max);
  // The service also limits the bytes, to the number in `maxlength`. A text with more bytes for each of its characters
  // than that allows counts as longer than it looks.
  const bytesPerCharacter = area.maxLength / maxLength;
  const counter = document.createElement("p");
  counter.className = "counter";
  area.after(counter);
  const show = () => {
    const bytes = new TextEncoder().encode(area.value).length;
    const left = maxLength - Math.max(characters(area.value), Math.ceil(bytes / bytesPerCharacter));
    counter.textContent = left < 0 ? status.dataset.over.replace("{over}", -left)
      : left <= Math.max(20, maxLength / 5) ? status.dataset.left.replace("{left}", left) : "";
    counter.classList.toggle("fault", left < 0);
  };
  area.addEventListener("input", show);
  show();
}

// Adds a button that clears the answer. Browsers have no way to uncheck a radio button.
function offerClearing(question) {
  const radios = [...question.querySelectorAll("input[type=radio]")];
  // A required question needs an answer, so there is nothing to clear.
  if (radios.length === 0 || question.querySelector(".required")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "clear";
  button.textContent = status.dataset.clear;
  // The button keeps its place, so that nothing below moves when it appears.
  const show = () => { button.classList.toggle("unseen", !radios.some((radio) => radio.checked)); };
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

// A link to a question with a fault also moves the focus to its first field.
function focusFaults() {
  for (const link of document.querySelectorAll('#alert a[href^="#q-"]')) {
    link.addEventListener("click", (event) => {
      const question = document.getElementById(link.hash.slice(1));
      if (!question) return;
      // Following the link would move the focus back to the page.
      event.preventDefault();
      question.scrollIntoView();
      question.querySelector("input, textarea")?.focus({ preventScroll: true });
    });
  }
}

// The reason for a refusal disappears once its question has another answer. The service checks it again.
function clearFaults(question) {
  const field = question.querySelector("[aria-invalid]");
  question.addEventListener("input", () => {
    question.classList.remove("wrong");
    question.querySelector(".fault:not(.counter)")?.remove();
    field?.removeAttribute("aria-invalid");
  }, { once: true });
}

// The typed and chosen answers, also to questions that are not asked at the moment, whose fields are not sent.
const filledIn = () => [...form.elements]
  .filter((field) => field.name && (
    field.type === "radio" || field.type === "checkbox" ? field.checked : field.matches("textarea, .own-text")))
  .map((field) => [field.name, field.value]).filter(([, value]) => value !== "");

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

function handleDraft(name) {
  const draft = storage.get(name);
  const isEmpty = filledIn().length === 0;
  if (draft?.entries?.length && isEmpty) {
    restore(draft.entries);
    // With the same idempotency key, answers that were already being sent when the network failed are not counted twice.
    if (draft.key) form.elements.key.value = draft.key;
    status.textContent = status.dataset.restored;
    if (draft.isWaiting) send(name);
  }
  form.addEventListener("input", () => {
    const entries = filledIn();
    if (entries.length) storage.set(name, { entries, key: form.elements.key.value });
    else storage.remove(name);
  });
}

let isSending = false;

// While the form is being sent, further clicks on the button are ignored. The idempotency key covers later ones.
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
    // If the answers were withdrawn earlier, the response has a form with a new idempotency key.
    const key = page.querySelector("#form [name=key]")?.value ?? form.elements.key.value;
    if (name) storage.set(name, { entries: filledIn(), key });
    if (response.status === 413 && !page.getElementById("form")) {
      // The request was too large to be read, so the response has no form. The answers stay on the page to be shortened.
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

// Shows the response in place of the page, as a browser would without this script.
function replacePage(page) {
  document.title = page.title;
  document.getElementById("main").replaceWith(page.getElementById("main"));
  begin();
  document.dispatchEvent(new Event("renewed"));
  document.getElementById("alert")?.focus();
}

function begin() {
  form = document.getElementById("form");
  status = document.getElementById("status");
  if (!form) return;
  const name = form.dataset.draft ? draftName(form.dataset.draft) : null;
  for (const area of form.querySelectorAll("textarea[data-max]")) countCharacters(area);
  for (const question of form.querySelectorAll("fieldset.question")) offerClearing(question);
  for (const question of form.querySelectorAll(".question.wrong")) clearFaults(question);
  focusFaults();
  // Typing an own answer also chooses its option.
  for (const own of form.querySelectorAll(".own")) {
    own.querySelector(".own-text").addEventListener("input", (event) => {
      if (event.target.value) own.querySelector("input").checked = true;
    });
  }
  if (name) handleDraft(name);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(name);
  });
}

const sent = document.getElementById("sent");
if (sent) {
  storage.remove(draftName(sent.dataset.draft));
  if ("final" in sent.dataset) storage.set(withdrawalName(sent.dataset.draft), true);
}
begin();

// The browser's back button shows the form as it was. After a withdrawal, a form that can be answered only once accepts
// no more answers, so the page is loaded again and says so.
addEventListener("pageshow", (event) => {
  if (!form?.dataset.draft) return;
  const name = withdrawalName(form.dataset.draft);
  const isBack = event.persisted || performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  if (!isBack) storage.remove(name);
  else if (storage.get(name)) location.replace(form.action);
});

// Shows one question of a form at a time. The stylesheet hides the others before this script begins, so that nothing
// moves. The browser's Back button leads to the previous question, because each question has an entry in the history.
let form;
let questions;
let place;
let enteredAt = -Infinity;

// Whether the key belongs to an input method, as of Korean.
const isComposing = (event) => event.isComposing || event.keyCode === 229;
const fields = (question) => [...question.querySelectorAll("input, textarea")];

function isAnswered(question) {
  return fields(question).some((field) => (
    field.type === "radio" || field.type === "checkbox" ? field.checked : field.value.trim() !== ""));
}

// The field that gets the focus: the chosen one of several options, or else the first.
function entrance(question) {
  return fields(question).find((field) => field.checked) ?? fields(question)[0];
}

const following = () => questions.findIndex((question, index) => index > place && !question.hidden);
const preceding = () => questions.findLastIndex((question, index) => index < place && !question.hidden);

function show(index) {
  place = index;
  questions.forEach((question, number) => question.classList.toggle("current", number === index));
  form.classList.toggle("later", preceding() !== -1);
  form.classList.toggle("last", following() === -1);
  form.querySelector(".back").disabled = preceding() === -1;
  // Questions that are not asked are hidden. Each answer may change that.
  const asked = questions.filter((question) => !question.hidden);
  const number = asked.indexOf(questions[index]) + 1;
  const progress = form.querySelector("progress");
  [progress.max, progress.value] = [asked.length, number];
  const text = form.dataset.step.replace("{number}", number).replace("{count}", asked.length);
  const step = document.getElementById("step");
  if (step.textContent !== text) step.textContent = text;
}

// Shows a question that the participant has chosen to see.
function enter(index) {
  enteredAt = performance.now();
  form.classList.add("moved");
  show(index);
  scrollTo(0, 0);
  entrance(questions[index])?.focus({ preventScroll: true });
}

// The message has the place and the id of the server's messages.
function complain(question) {
  const id = question.id.replace("q-", "e-");
  question.classList.add("wrong");
  if (!document.getElementById(id)) {
    const fault = document.createElement("div");
    Object.assign(fault, { id, className: "fault" });
    fault.setAttribute("role", "alert");
    const text = document.createElement("p");
    text.textContent = form.dataset.unanswered;
    fault.append(text);
    const notes = question.querySelectorAll(":scope > :is(.title, .description, .hint)");
    notes[notes.length - 1].after(fault);
    const described = question.querySelector("textarea") ?? question;
    described.setAttribute("aria-describedby", `${described.getAttribute("aria-describedby") ?? ""} ${id}`.trim());
    if (described !== question) described.setAttribute("aria-invalid", "true");
    question.addEventListener("input", () => accept(question, described, fault), { once: true });
  }
  entrance(question)?.focus();
}

function accept(question, described, fault) {
  question.classList.remove("wrong");
  fault.remove();
  described.removeAttribute("aria-invalid");
  const others = described.getAttribute("aria-describedby").split(" ").filter((id) => id !== fault.id);
  if (others.length) described.setAttribute("aria-describedby", others.join(" "));
  else described.removeAttribute("aria-describedby");
}

function next() {
  const question = questions[place];
  const isTooLong = question.querySelector(".counter.fault");
  if (question.querySelector(".title .required") && !isAnswered(question)) complain(question);
  else if (isTooLong) question.querySelector("textarea").focus();
  else if (following() !== -1) {
    const step = following();
    history.pushState({ step }, "");
    enter(step);
  }
}

// An entry that this page has added leads back to the question before it. Without one, as after a reload with faults,
// the question is shown in place of this one.
function back() {
  if (preceding() === -1) return;
  if (history.state?.step === place && history.state.isAdded !== false) history.back();
  else enterInPlace(preceding());
}

function enterInPlace(index) {
  history.replaceState({ step: index, isAdded: false }, "");
  enter(index);
}

// Enter moves on from options and from short texts. In longer texts it begins a line, and with Ctrl it moves on. On the
// last question it sends the form, as on any page.
function pressed(event) {
  const { target } = event;
  if (event.key !== "Enter" || isComposing(event)) return;
  // A key that is held down does not answer the next questions too.
  if (event.repeat && target.matches("input")) event.preventDefault();
  if (event.repeat || following() === -1) return;
  const isShort = target.matches("input") || target.matches("textarea") && Number(target.dataset.max) <= 120;
  const isWanted = target.matches("textarea") && (event.ctrlKey || event.metaKey);
  if (!isWanted && (!isShort || event.shiftKey)) return;
  event.preventDefault();
  next();
}

const isStep = (step) => Number.isInteger(step) && step < questions.length && !questions[step].hidden;

function begin() {
  form = document.querySelector("form.one-by-one");
  // A browser without this condition in its stylesheets shows all questions at once.
  if (!form || !matchMedia("(scripting: enabled)").matches) return;
  questions = [...form.querySelectorAll(".question")];
  form.classList.add("stepped");
  const current = questions.findIndex((question) => question.classList.contains("current") && !question.hidden);
  const hasFaults = Boolean(form.querySelector(".question.wrong"));
  // A reload, and a return to this page, show the question that was shown last, unless the form is empty.
  const stored = history.state?.step;
  if (!hasFaults && isStep(stored) && questions.some(isAnswered)) {
    show(stored);
  } else {
    history.replaceState({ step: Math.max(current, 0), isAdded: false }, "");
    show(Math.max(current, 0));
  }
  form.addEventListener("keydown", pressed);
  form.addEventListener("judged", () => show(place));
  // The second click of a double click is for the question before. An option or "Send" may be where "Next" was.
  form.addEventListener("click", (event) => {
    if (event.detail < 2 || performance.now() - enteredAt > 600) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  form.querySelector(".next").addEventListener("click", next);
  form.querySelector(".back").addEventListener("click", back);
}

addEventListener("popstate", (event) => {
  const step = event.state?.step;
  if (form?.isConnected && isStep(step)) enter(step);
});
document.addEventListener("renewed", begin);
begin();

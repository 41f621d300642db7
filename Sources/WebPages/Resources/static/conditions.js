// Shows the questions of a form that are asked after the answers so far, and hides the others, whose answers stay in
// the page but are not sent. Without this script, the service makes a page for each part of the form.
let form;
let questions;

// The answer of a participant who abstained, which only tests of the abstention itself meet.
const abstention = ["abstain"];

const fields = (question) => [...question.querySelectorAll("input, textarea")];

// The answer to a question: a text, or the chosen options and ratings. Null if there is none.
function answer(key) {
  const question = document.getElementById(`q-${key}`);
  if (!question || question.hidden) return null;
  const area = question.querySelector("textarea");
  if (area) return area.value.trim() === "" ? null : [];
  const chosen = fields(question).filter((field) => field.checked);
  if (chosen.some((field) => "abstain" in field.dataset)) return abstention;
  return chosen.length ? chosen.map((field) => field.value) : null;
}

function holds(test) {
  const given = answer(test.question);
  if ("answered" in test) return (given !== null && given !== abstention) === test.answered;
  if (given === null || given === abstention && !("is" in test)) return false;
  if ("is" in test) return given.includes(String(test.is));
  if ("isNot" in test) return !given.includes(String(test.isNot));
  if ("atLeast" in test) return Number(given[0]) >= test.atLeast;
  return Number(given[0]) <= test.atMost;
}

function isAsked(question) {
  if (!question.dataset.if) return true;
  const condition = JSON.parse(question.dataset.if);
  if (condition.all) return condition.all.every(holds);
  return condition.any ? condition.any.some(holds) : holds(condition);
}

// A question tests earlier ones only, so one pass is enough.
function judge() {
  for (const question of questions) {
    const asked = isAsked(question);
    if (question.hidden === asked) question.hidden = !asked;
    // All statements of a grid have the same condition, so the head goes with the first one.
    const head = question.previousElementSibling;
    if (head?.classList.contains("grid-head")) head.hidden = !asked;
    for (const field of fields(question)) field.disabled = !asked;
  }
  form.dispatchEvent(new Event("judged"));
}

function begin() {
  form = document.querySelector("form[data-conditional]");
  if (!form) return;
  questions = [...form.querySelectorAll(".question")];
  form.querySelector(".stage-buttons")?.remove();
  form.querySelector(".all-asked")?.remove();
  form.querySelector("button.send").hidden = false;
  for (const event of ["input", "change", "restored"]) form.addEventListener(event, judge);
  judge();
  form.classList.add("is-judged");
}

document.addEventListener("renewed", begin);
begin();

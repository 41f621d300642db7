// Sends the buttons of the remote without leaving the page. Without this script, each button loads the page again.

const remote = document.querySelector(".remote");
let phase = remote.dataset.phase;

// The address of the remote with a view of the stages.
function address(view) {
  const query = new URLSearchParams({ slide: view.slide });
  for (const name of ["blank", "comparing", "words"]) if (view[name]) query.set(name, "1");
  return `${location.pathname}?${query}`;
}

async function send(button) {
  if (!button?.isConnected || button.disabled) return;
  const { form } = button;
  const body = new URLSearchParams(new FormData(form, button));
  try {
    const response = await fetch(form.getAttribute("action"), { method: "POST", body, credentials: "same-origin" });
    const text = await response.text();
    // After a refusal, or if the session has ended, the host sees the page that says so.
    if (!response.ok || new URL(response.url).pathname !== location.pathname) return location.assign(response.url);
    history.replaceState(null, "", response.url);
    document.dispatchEvent(new CustomEvent("loaded", { detail: text }));
    button.closest("details")?.removeAttribute("open");
  } catch { /* The host can press the button again. */ }
}

// One after the other, because each button continues from the view that the one before it has made.
let sending = Promise.resolve();
remote.addEventListener("submit", (event) => {
  event.preventDefault();
  const { form, id, value } = event.submitter;
  // The button may be another element by the time of its turn, or there may be no such button any more.
  const button = () => id ? document.getElementById(id) : form.querySelector(`button[value="${value}"]`);
  sending = sending.then(() => send(button()));
});

// A stage or another remote of this meeting, or this one. What was shown before this remote was opened is of no interest
// once the host has chosen a slide here.
document.addEventListener("shown", ({ detail, isPast }) => {
  if (isPast && location.search) return;
  const target = address(detail);
  if (target === location.pathname + location.search) return;
  history.replaceState(null, "", target);
  document.dispatchEvent(new Event("moved"));
});

// Like the stages, the remote begins again when the form opens or closes.
document.addEventListener("renewed", () => {
  if (remote.dataset.phase === phase) return;
  phase = remote.dataset.phase;
  if (!location.search) return;
  history.replaceState(null, "", location.pathname);
  document.dispatchEvent(new Event("moved"));
});

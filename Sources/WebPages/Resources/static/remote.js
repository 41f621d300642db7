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

// Another remote of this meeting, or this one.
document.addEventListener("shown", ({ detail }) => {
  const target = address(detail);
  if (target === location.pathname + location.search) return;
  history.replaceState(null, "", target);
  document.dispatchEvent(new Event("moved"));
});

// Like the stages, the remote begins again when the form opens or closes.
document.addEventListener("renewed", () => {
  countDown();
  if (remote.dataset.phase === phase) return;
  phase = remote.dataset.phase;
  if (!location.search) return;
  history.replaceState(null, "", location.pathname);
  document.dispatchEvent(new Event("moved"));
});

// The last hour before the close is counted down.
function countDown() {
  const closing = remote.querySelector("[data-closes]");
  if (!closing) return;
  const seconds = Math.max(0, Math.ceil((Date.parse(closing.dataset.closes) - Date.now()) / 1000));
  if (seconds >= 3600) return;
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  closing.classList.add("counting");
  if (closing.textContent !== text) closing.textContent = text;
}

setInterval(countDown, 250);
countDown();

// Counts down the last hour before the close of a form. Without this script, the page says when the form closes.

const part = document.getElementById("results");
// The difference between the clocks of the service and of this browser, in milliseconds, and the time it comes from.
let offset = 0;
let comparedAt = "";

function countDown() {
  const closing = part.querySelector("[data-closes]");
  if (!closing) return;
  const { closes, now, last } = closing.dataset;
  if (now !== comparedAt) {
    comparedAt = now;
    offset = Date.parse(now) - Date.now();
  }
  const seconds = Math.ceil((Date.parse(closes) - Date.now() - offset) / 1000);
  if (seconds >= 3600) return;
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const text = seconds > 0 ? time : last;
  closing.classList.add("counting");
  closing.classList.toggle("last", seconds <= 0);
  if (closing.textContent !== text) closing.textContent = text;
}

document.addEventListener("renewed", countDown);
setInterval(countDown, 250);
countDown();

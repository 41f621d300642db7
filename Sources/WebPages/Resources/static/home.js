// Updates the counters of the meeting at the top of the page from an event stream.
const now = document.getElementById("now");
if (now) {
  const counters = now.querySelector("[data-meeting]");
  const stream = new EventSource(now.dataset.live);
  stream.addEventListener("error", () => {
    const ended = document.getElementById("ended");
    if (ended && stream.readyState === EventSource.CLOSED) ended.hidden = false;
  });
  stream.addEventListener("meetings", (event) => {
    const meeting = JSON.parse(event.data).items.find((item) => item.id === counters.dataset.meeting);
    if (!meeting) return;
    for (const count of counters.querySelectorAll("[data-count]")) count.textContent = meeting[count.dataset.count];
  });
}

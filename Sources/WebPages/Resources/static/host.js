// Results as they come: each event has the part of the page with the numbers made anew.
const part = () => document.getElementById("results");
let isAsking = false;
let isStale = false;

async function renew() {
  if (isAsking) { isStale = true; return; }
  isAsking = true;
  try {
    const response = await fetch(location.href, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("results");
    if (response.ok && fresh && fresh.innerHTML !== part().innerHTML) part().replaceWith(fresh);
  } catch { /* the stream tells again once the service is back */ }
  isAsking = false;
  if (isStale) { isStale = false; renew(); }
}

// Whoever is typing or about to press a button is left alone until they are done.
const isBusy = () => part().contains(document.activeElement) && document.activeElement.matches("input, textarea");

if (part()) {
  const stream = new EventSource(part().dataset.live);
  let isFirst = true;
  stream.addEventListener("results", () => {
    if (!isFirst && !isBusy()) renew();
    isFirst = false;
  });
}

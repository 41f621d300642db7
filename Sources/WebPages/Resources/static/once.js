// What stands in a field or in a line goes to the clipboard by a press.

/// Over plain http there is no clipboard for scripts; what is selected can be copied all the same.
async function copy(place) {
  if (place.select) place.select(); else getSelection().selectAllChildren(place);
  const text = place.value ?? place.textContent;
  try { await navigator.clipboard.writeText(text); return true; } catch { return document.execCommand("copy"); }
}

for (const button of document.querySelectorAll("button[data-copies]")) {
  const place = document.getElementById(button.dataset.copies);
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (await copy(place)) button.textContent = button.dataset.copied;
  });
}

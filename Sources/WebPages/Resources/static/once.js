// Buttons that copy the text of a field or line to the clipboard.

// Over plain http, scripts have no access to the clipboard. The selected text can still be copied with `execCommand`.
async function copy(source) {
  // A field that is folded cannot be selected.
  const part = source.closest("details");
  if (part) part.open = true;
  if (source.select) source.select(); else getSelection().selectAllChildren(source);
  const text = source.value ?? source.textContent;
  try { await navigator.clipboard.writeText(text); return true; } catch { return document.execCommand("copy"); }
}

for (const button of document.querySelectorAll("button[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (await copy(source)) button.textContent = button.dataset.copied;
  });
}

// What is shown once goes to the clipboard by a press.
for (const button of document.querySelectorAll("button[data-copies]")) {
  const field = document.getElementById(button.dataset.copies);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    // Over plain http there is no clipboard: then it is selected, to be copied by hand.
    try { await navigator.clipboard.writeText(field.value); } catch { return; }
    button.textContent = button.dataset.copied;
  });
}

// Copies the lines of a chosen CSV file to the text field, where the host can check them before they are sent.
const part = document.getElementById("file-part");
const file = document.getElementById("file");
if (part) {
  part.hidden = false;
  file.addEventListener("change", async () => {
    const lines = document.getElementById("lines");
    if (!file.files[0]) return;
    lines.value = await file.files[0].text();
    lines.rows = Math.min(16, Math.max(4, lines.value.split("\n").length));
    lines.focus();
  });
}

// The colour picker and the typed colour follow each other.
const typed = document.getElementById("accent");
const picker = document.getElementById("picked");

picker?.addEventListener("input", () => { typed.value = picker.value; });
typed?.addEventListener("input", () => {
  const color = typed.value.trim().toLowerCase();
  if (/^#[0-9a-f]{6}$/.test(color)) picker.value = color;
});

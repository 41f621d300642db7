// Whoever has not said where they are is where their device is.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const field of document.querySelectorAll("input[data-zone]")) {
  if (field.value || !zone) continue;
  field.value = zone;
  for (const name of document.querySelectorAll("[data-zone-name]")) name.textContent = zone;
}

// What is saved already is only proposed another zone, and what is typed says that it is not saved.
const saved = document.querySelector("input[data-zone-saved]");
if (saved) {
  const unsaved = document.getElementById("zone-unsaved");
  const proposal = document.getElementById("zone-proposal");
  const tell = () => {
    unsaved.hidden = saved.value.trim() === saved.dataset.zoneSaved;
    proposal.hidden = !zone || saved.value.trim() === zone;
  };
  proposal.textContent = proposal.dataset.text.replace("{zone}", zone);
  proposal.addEventListener("click", () => { saved.value = zone; tell(); saved.focus(); });
  saved.addEventListener("input", tell);
  tell();
}

// Fields for a time zone that are empty get the zone of the device.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const field of document.querySelectorAll("input[data-zone]")) {
  if (field.value || !zone) continue;
  field.value = zone;
  for (const name of document.querySelectorAll("[data-zone-name]")) name.textContent = zone;
}

// Proposed times were written in the time zone of the service or of the account.
const proposal = document.querySelector("input[data-proposal]");
const zoneField = document.querySelector("input[data-zone]");
if (proposal && zoneField?.value === zone) {
  const local = (seconds) => {
    const date = new Date(seconds * 1000);
    return new Date(seconds * 1000 - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  };
  document.getElementById("start").value = local(Number(proposal.value));
  document.getElementById("end").value = local(Number(proposal.value) + 3600);
}

// On the account page, a saved zone is not overwritten. A button offers the zone of the device, and a hint says that a
// changed zone is not saved yet.
const saved = document.querySelector("input[data-zone-saved]");
if (saved) {
  const unsaved = document.getElementById("zone-unsaved");
  const proposal = document.getElementById("zone-proposal");
  const update = () => {
    unsaved.hidden = saved.value.trim() === saved.dataset.zoneSaved;
    proposal.hidden = !zone || saved.value.trim() === zone;
  };
  proposal.textContent = proposal.dataset.text.replace("{zone}", zone);
  proposal.addEventListener("click", () => { saved.value = zone; update(); saved.focus(); });
  saved.addEventListener("input", update);
  update();
}

// Whoever has not said where they are is where their device is.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const field of document.querySelectorAll("input[data-zone]")) {
  if (field.value || !zone) continue;
  field.value = zone;
  for (const name of document.querySelectorAll("[data-zone-name]")) name.textContent = zone;
}

// Reports a picture that is too large before it is uploaded.
const form = document.getElementById("image-form");
const maxBytes = 2 * 1024 * 1024;

form?.addEventListener("submit", (event) => {
  const file = form.image.files[0];
  if (event.submitter?.value !== "upload" || !file || file.size <= maxBytes) return;
  event.preventDefault();
  const fault = document.getElementById("image-fault");
  fault.replaceChildren(Object.assign(document.createElement("p"), { textContent: form.dataset.large }));
  form.image.setAttribute("aria-invalid", "true");
  form.image.focus();
});

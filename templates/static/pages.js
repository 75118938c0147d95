"use strict";
// What makes the pages pleasant; every page works without it.

for (const field of document.querySelectorAll("[data-zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
}

for (const seat of document.querySelectorAll("[data-seat]")) {
  const kind = seat.querySelector("select");
  const address = seat.querySelector("[data-address]");
  const show = () => {
    address.hidden = kind.value !== "invited";
    address.querySelector("input").required = !address.hidden;
  };
  kind.addEventListener("change", show);
  show();
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = button.parentElement.querySelector("input");
  field.addEventListener("focus", () => field.select());
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = button.dataset.done;
  });
}

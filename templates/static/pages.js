"use strict";
// Conveniences; every page works without them.

for (const field of document.querySelectorAll("[data-zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
}

for (const seat of document.querySelectorAll("div[data-seat]")) {
  const kind = seat.querySelector("select");
  const address = seat.querySelector("[data-address]");
  const show = () => {
    address.hidden = kind.value !== "invited";
    const input = address.querySelector("input");
    input.required = !address.hidden;
    input.disabled = address.hidden; // an address that was typed before the choice changed is not sent
  };
  kind.addEventListener("change", show);
  show();
}

// Another game is chosen with a link; with a script, what was typed is kept.
for (const link of document.querySelectorAll("[data-choose]")) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in another tab or window
    const form = document.getElementById("new-game"), choose = document.createElement("input");
    event.preventDefault();
    Object.assign(choose, { type: "hidden", name: "choose", value: link.dataset.choose });
    form.append(choose);
    form.submit();
  });
}

// A button beside a link copies it or, where the browser can, shares it with another app.
for (const button of document.querySelectorAll("[data-share]")) {
  const field = button.parentElement.querySelector("input");
  const shares = Boolean(navigator.share);
  field.addEventListener("focus", () => field.select());
  if (!shares && !navigator.clipboard) continue;
  if (!shares) button.textContent = button.dataset.copy;
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (shares) return navigator.share({ title: button.dataset.share, url: field.value }).catch(() => {}); // they changed their mind
    await navigator.clipboard.writeText(field.value);
    button.textContent = button.dataset.done;
  });
}

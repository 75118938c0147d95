"use strict";
// Turns web push on for this browser, and off again when the player signs out here.

const form = document.querySelector("[data-push]");
const works = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

async function currentSubscription() {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return registration ? registration.pushManager.getSubscription() : null;
}

async function subscribe() {
  await navigator.serviceWorker.register("/push-worker.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription with another key, from before the server was set up again, would be in the way.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.push });
}

async function turnOn(event) {
  event.preventDefault();
  const [denied, failed] = [form.querySelector("[data-denied]"), form.querySelector("[data-failed]")];
  denied.hidden = failed.hidden = true;
  if ((await Notification.requestPermission()) !== "granted") {
    denied.hidden = false;
    return;
  }
  try {
    form.elements.subscription.value = JSON.stringify(await subscribe());
  } catch {
    failed.hidden = false;
    return;
  }
  form.submit();
}

async function showForm() {
  const subscription = await currentSubscription();
  const listed = [...document.querySelectorAll("[data-endpoint]")].map((remove) => remove.dataset.endpoint);
  form.hidden = subscription !== null && listed.includes(subscription.endpoint);
}

if (works && form) {
  document.querySelector("[data-no-push]").hidden = true;
  form.addEventListener("submit", turnOn);
  showForm();
}
if (works) {
  document.querySelector('form[action="/logout"]').addEventListener("submit", async (event) => {
    event.preventDefault();
    const signOut = event.target;
    await (await currentSubscription())?.unsubscribe();
    signOut.submit();
  });
}

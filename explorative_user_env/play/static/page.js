// Optional speed-up and keyboard: replace only the main part of the page when a form or link changes it.
"use strict";

const main = () => document.getElementById("main");
const KEYS = "keys-are-off"; // stored until the tab closes

let waiting = Promise.resolve(); // requests run one after another, in order
let sliding = 0;

function go(address, { slides = false, moves = true } = {}) {
  waiting = waiting.then(async () => {
    const target = address();
    if (!target) return;
    try {
      const answer = await fetch(target, { headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (slides) history.replaceState(null, "", answer.url);
      else if (moves) history.pushState(null, "", answer.url);
      document.title = page.title;
      put(page, slides);
    } catch {
      location.assign(target); // the browser shows the error
    }
  });
}

function put(page, slides) {
  const held = document.activeElement && document.activeElement.id;
  const fresh = page.getElementById("main");
  const opened = [...document.querySelectorAll("details[open]")].map((each) => each.textContent.trim().slice(0, 12));
  if (slides) {
    for (const part of main().querySelectorAll("[data-part]")) {
      const same = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
      if (same && part.dataset.part !== "sliders") part.replaceWith(same);
      else if (same) renew(part, same);
    }
  } else {
    main().replaceWith(fresh);
    for (const each of main().querySelectorAll("details"))
      if (opened.includes(each.textContent.trim().slice(0, 12))) each.open = true;
    const chief = main().querySelector("[data-focus]");
    const next = (!chief && held && document.getElementById(held)) || chief;
    if (next || held) (next || main()).focus({ preventScroll: next !== chief });
    if (chief) scrollTo(0, 0);
  }
  ready();
  const status = main().querySelector("[data-said]");
  if (status) document.getElementById("said").textContent = status.textContent;
}

// Keep the slider that the player is moving; replace only the hidden fields of its form.
function renew(form, same) {
  for (const each of form.querySelectorAll("input[type=hidden]")) each.remove();
  form.prepend(...same.querySelectorAll("input[type=hidden]"));
}

function addressOf(form, button) {
  const query = new URLSearchParams(new FormData(form));
  if (button && button.name) query.append(button.name, button.value);
  return `${form.getAttribute("action")}?${query}`;
}

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.matches("[data-swap]")) return;
  event.preventDefault();
  // An earlier request may replace the page before this one runs: look up the form again then.
  const [id, action] = [submitter && submitter.id, form.getAttribute("action")];
  go(() => {
    const button = id && document.getElementById(id);
    const now = button ? button.form : document.querySelector(`form[action="${action}"]`);
    return now && !(button && button.disabled) && addressOf(now, button);
  });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    go(() => document.getElementById(link.id)?.href);
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    const field = document.getElementById(copy.dataset.copy);
    field.select();
    navigator.clipboard.writeText(field.value).then(() => { copy.textContent = "Copied"; }, () => {});
  }
});

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  if (event.target.name === "rho") form.elements.follow.checked = false;
  for (const each of form.querySelectorAll("output")) each.value = form.elements[each.htmlFor[0]].value;
  clearTimeout(sliding);
  sliding = setTimeout(() => go(() => addressOf(form), { slides: true }), 40);
});

document.addEventListener("change", (event) => {
  if (event.target.id === "keys") sessionStorage.setItem(KEYS, event.target.checked ? "" : "yes");
});

addEventListener("popstate", () => go(() => location.href, { moves: false }));

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || sessionStorage.getItem(KEYS)) return;
  if (event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea")) return;
  const press = (selector) => {
    const button = document.querySelector(selector);
    if (button && isSeen(button)) { event.preventDefault(); button.click(); }
  };
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code || "");
  if (digit) {
    const naming = document.activeElement?.matches("[data-best]");
    press(`[data-${event.shiftKey ? "ten" : naming ? "best" : "arm"}="${digit[1]}"]`);
  } else if (event.key === "b") {
    const first = document.querySelector("[data-best]");
    if (first) { event.preventDefault(); first.focus(); }
  } else if (event.key === "u") press("#undo");
  else if (event.key === "y" || event.key === "n") press(`[data-say="${event.key}"]`);
  else if (event.key === "?") press("#hints > summary");
  else if (event.key.startsWith("Arrow")) walk(event);
});

const isSeen = (each) => each.getClientRects().length > 0;

// Arrow keys move the focus within a group of buttons.
function walk(event) {
  const group = document.activeElement?.closest(".arms, .best");
  if (!group) return;
  const buttons = [...group.querySelectorAll("button:not(:disabled)")].filter(isSeen);
  const ahead = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
  const place = buttons.indexOf(document.activeElement) + ahead;
  event.preventDefault();
  buttons[(place + buttons.length) % buttons.length].focus();
}

function ready() {
  for (const each of document.querySelectorAll("[data-copy]")) each.hidden = !navigator.clipboard;
  for (const each of document.querySelectorAll("[data-without-script]")) each.hidden = true;
  const keys = document.getElementById("keys");
  if (keys) keys.checked = !sessionStorage.getItem(KEYS);
}

ready();

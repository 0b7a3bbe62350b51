"use strict";
// Plays a film: sets the attributes that change from picture to picture, and knows nothing else.
(() => {
  const film = JSON.parse(document.getElementById("film-data").textContent);
  const find = (selector) => document.querySelector(selector);
  const button = (name) => find(`[data-do="${name}"]`);
  const slider = find(".film-line input"), speed = find(".film-controls select");
  const caption = find(".film-caption"), heard = find(".film-heard");
  const story = [...document.querySelectorAll(".film-story button")];
  const last = film.captions.length - 1;
  const screens = ["wide", "narrow"].map((name) => {
    const place = find(`.film-${name}`);
    const shapes = [...place.querySelector("svg").children].filter(
      (each) => each.tagName !== "title" && each.tagName !== "style"
    );
    return { place, shapes, tracks: film[name].tracks, set: film[name].tracks.map(() => null) };
  });
  let now = 0, timer = null;

  // Rejections have their marks below the slider, and buttons only if there are any.
  const marks = find(".film-marks");
  marks.setAttribute("viewBox", `0 0 ${Math.max(last, 1)} 1`);
  marks.firstElementChild.setAttribute("d", film.marks.map((frame) => `M${frame} 0v1`).join(""));
  if (!film.marks.length) document.querySelectorAll('[data-do$="-no"]').forEach((each) => each.remove());

  // The place of the last of these sorted numbers that is at most `frame`.
  const latest = (frames, frame) => {
    let low = 0, high = frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle] <= frame) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const draw = (screen) => {
    if (!screen.place.offsetParent) return; // it is not shown at this width
    screen.tracks.forEach(([element, attribute, frames, values], track) => {
      const place = latest(frames, now);
      if (screen.set[track] === place) return;
      screen.set[track] = place;
      const shape = screen.shapes[element], value = values[place];
      if (attribute === "") shape.textContent = value;
      else if (value === "") shape.removeAttribute(attribute);
      else shape.setAttribute(attribute, value);
    });
  };

  const show = (frame) => {
    now = Math.max(0, Math.min(last, frame));
    screens.forEach(draw);
    caption.textContent = film.captions[now];
    slider.value = now;
    slider.setAttribute("aria-valuetext", film.captions[now]);
    if (timer === null) heard.textContent = film.captions[now]; // who listens is not flooded
    const told = story.filter((each) => each.dataset.frame <= now).pop();
    story.forEach((each) =>
      each === told ? each.setAttribute("aria-current", "step") : each.removeAttribute("aria-current")
    );
  };

  const pause = () => {
    clearInterval(timer);
    timer = null;
    button("play").textContent = "Play";
    heard.textContent = film.captions[now];
  };
  const play = () => {
    if (now === last) show(0);
    clearInterval(timer);
    timer = setInterval(() => {
      show(now + 1);
      if (now === last) pause();
    }, 1000 / Number(speed.value));
    button("play").textContent = "Pause";
  };
  const go = (frame) => {
    if (timer !== null) pause();
    show(frame);
  };

  const acts = {
    first: () => go(0),
    back: () => go(now - 1),
    play: () => (timer === null ? play() : pause()),
    on: () => go(now + 1),
    end: () => go(last),
    "last-no": () => go(film.marks.filter((frame) => frame < now).pop() ?? 0),
    "next-no": () => go(film.marks.find((frame) => frame > now) ?? last),
  };
  Object.entries(acts).forEach(([name, act]) => button(name)?.addEventListener("click", act));
  slider.addEventListener("input", () => go(Number(slider.value)));
  speed.addEventListener("change", () => timer !== null && play());
  story.forEach((each) => each.addEventListener("click", () => go(Number(each.dataset.frame))));
  addEventListener("resize", () => screens.forEach(draw));

  const keys = {};
  document.querySelectorAll(".film-controls [aria-keyshortcuts]").forEach((each) => {
    const key = each.getAttribute("aria-keyshortcuts");
    keys[key === "Space" ? " " : key] = each.dataset.do;
  });
  addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const own = event.target.closest?.("select, input") || (act === "play" && event.target.closest?.("button"));
    // What has keys of its own keeps them, but the slider has no use for the space bar.
    const taken = own && !(act === "play" && event.target === slider);
    if (!act || taken || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    acts[act]();
  });

  if (matchMedia("(prefers-reduced-motion: reduce)").matches) speed.value = "1";
  document.documentElement.classList.add("film-ready");
  show(0);
})();

// The game as a player: two orders side by side, step by step.

import { DagView } from "./dag_view.js";
import { button, choice, element, slider, spoken } from "./dom.js";
import { orderNames } from "./orders.js";
import { lastAtMost } from "./scale.js";

const SECONDS = 12; // a whole game takes about so long to play

/**
 * One order's game. Frames are the steps that can be shown: all of them, or some of a grouped dag.
 * @typedef {{look: (node: number) => import("./dag_view.js").Look, done: number, eligible: number}} Position
 */

/** The steps that can be shown. @param {any} report @returns {number[]} */
function frames({ game, dag }) {
  if (dag.is_grouped) return game.steps;
  const first = Object.values(game.orders)[0];
  return Array.from({ length: first.rank.length + 1 }, (_, step) => step);
}

/** @param {any} report @param {string} order @param {number} frame @returns {Position} */
function position({ game, dag }, order, frame) {
  const found = game.orders[order];
  return dag.is_grouped ? groupedPosition(dag, found, frame) : plainPosition(found, frame);
}

/** A task is done if its rank is below the step, and eligible from `ready` on until it runs. */
function plainPosition(/** @type {any} */ { rank, ready }, /** @type {number} */ step) {
  const state = rank.map((/** @type {number} */ place, /** @type {number} */ node) =>
    place < step ? "done" : ready[node] <= step ? "eligible" : "waiting",
  );
  return {
    look: (/** @type {number} */ node) => ({ fill: `--${state[node]}`, state: state[node] }),
    done: state.filter((/** @type {string} */ one) => one === "done").length,
    eligible: state.filter((/** @type {string} */ one) => one === "eligible").length,
  };
}

function groupedPosition(
  /** @type {any} */ dag,
  /** @type {any} */ { done, ready },
  /** @type {number} */ frame,
) {
  const total = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);
  return {
    look: (/** @type {number} */ node) => ({
      fill: "--waiting",
      done: done[frame][node] / dag.tasks[node],
      ready: ready[frame][node] / dag.tasks[node],
    }),
    done: total(done[frame]),
    eligible: total(ready[frame]),
  };
}

/** One side: a select of orders, the picture, and the counts. */
class Side {
  /** @param {any} report @param {string} name @param {string} order @param {() => void} change */
  constructor(report, name, order, change) {
    this.report = report;
    this.order = order;
    this.view = new DagView(report.dag, { label: `${name} order`, limit: 800, isStill: true });
    this.counts = element("p", { class: "counts" });
    const orders = orderNames(report.game.orders);
    const picked = choice(
      `${name} order`,
      orders.map((one) => [one, one]),
      (value) => {
        this.order = value;
        change();
      },
    );
    picked.select.value = order;
    this.made = element("div", { class: "side" }, picked.made, this.view.made, this.counts);
  }

  /** @param {number} frame @returns {string} what the counts are, in words */
  show(frame) {
    const { look, done, eligible } = position(this.report, this.order, frame);
    const words = `${this.order}: ${spoken(done)} done, ${spoken(eligible)} eligible`;
    this.view.paint(look);
    this.view.painter.made.setAttribute("aria-label", words);
    this.counts.replaceChildren(
      element("b", { class: "count-done", "data-value": done }, spoken(done)),
      " done, ",
      element("b", { class: "count-eligible", "data-value": eligible }, spoken(eligible)),
      " eligible",
    );
    return words;
  }
}

/** The player. @param {any} report */
export function player(report) {
  const steps = frames(report);
  const names = orderNames(report.game.orders);
  const last = steps.length - 1;
  const state = { frame: 0, timer: 0 };
  const { baseline, best } = report.worth;
  const [left, right] = opponents(names, baseline, best);
  const sides = [
    new Side(report, "Left", left, () => show(state.frame)),
    new Side(report, "Right", right, () => show(state.frame)),
  ];
  const scrub = slider("Step", last, (frame) => go(frame));
  const where = element("output", { class: "reading" });
  const said = element("p", { class: "heard", role: "status" });
  const play = button("Play", () => (state.timer ? pause() : start()), {
    class: "play",
    "data-act": "play",
  });

  function show(/** @type {number} */ frame) {
    state.frame = Math.max(0, Math.min(last, frame));
    const words = sides.map((side) => side.show(state.frame)).join("; ");
    scrub.range.value = String(state.frame);
    scrub.range.setAttribute("aria-valuetext", `step ${spoken(steps[state.frame])}: ${words}`);
    where.textContent = `${spoken(steps[state.frame])} of ${spoken(steps[last])}`;
    // While it plays, a screen reader could not keep up.
    if (!state.timer) said.textContent = `Step ${spoken(steps[state.frame])}. ${words}.`;
  }
  function go(/** @type {number} */ frame) {
    pause();
    show(frame);
  }
  function start() {
    if (state.frame === last) state.frame = 0;
    play.textContent = "Pause";
    const pace = rhythm(last);
    state.timer = window.setInterval(() => {
      show(state.frame + pace.stride);
      if (state.frame === last) pause();
    }, pace.wait);
  }
  function pause() {
    if (!state.timer) return;
    window.clearInterval(state.timer);
    state.timer = 0;
    play.textContent = "Play";
    show(state.frame);
  }

  scrub.made.append(where);
  const controls = element(
    "div",
    { class: "controls" },
    button("First", () => go(0), { "aria-label": "First step" }),
    button("Back", () => go(state.frame - 1), { "aria-label": "Back one step" }),
    play,
    button("Next", () => go(state.frame + 1), { "aria-label": "Next step" }),
    button("Last", () => go(last), { "aria-label": "Last step" }),
  );
  const made = element(
    "div",
    {
      class: "player",
      id: "player",
      tabindex: 0,
      role: "group",
      "aria-label": "The game, step by step: space plays, arrow keys step",
    },
    legendOfStates(),
    element("div", { class: "sides" }, ...sides.map((side) => side.made)),
    scrub.made,
    controls,
    element(
      "p",
      { class: "hint" },
      "Space plays and pauses, arrow keys step, Home and End go to the ends.",
    ),
    said,
  );
  made.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const act = keyActs(event, () => play.click(), go, state.frame, last);
    if (act) act();
    if (act) event.preventDefault();
  });
  show(lastAtMost(steps, steps[last] / 3));
  return made;
}

/** The two orders to begin with: what the file has now, and the best that was found. */
function opponents(
  /** @type {string[]} */ names,
  /** @type {string} */ baseline,
  /** @type {string} */ best,
) {
  const left = names.includes(baseline) ? baseline : names[0];
  const other = names.find((name) => name !== left) ?? left;
  return [left, names.includes(best) && best !== left ? best : other];
}

/** How many steps at once and how often, so that any game takes about as long. */
function rhythm(/** @type {number} */ last) {
  const wait = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1000 : 60;
  const count = (SECONDS * 1000) / wait;
  return {
    stride: Math.max(1, Math.round(last / count)),
    wait: Math.max(wait, Math.min(700, (SECONDS * 1000) / Math.max(1, last))),
  };
}

/** What a key does in the player, or null: selects and buttons keep their own keys. */
function keyActs(
  /** @type {KeyboardEvent} */ event,
  /** @type {() => void} */ play,
  /** @type {(frame: number) => void} */ go,
  /** @type {number} */ frame,
  /** @type {number} */ last,
) {
  const on = /** @type {Element} */ (event.target).tagName;
  if (on === "SELECT" || (on === "BUTTON" && event.key === " ")) return null;
  return (
    /** @type {Object<string, () => void>} */ ({
      " ": play,
      ArrowLeft: () => go(frame - 1),
      ArrowDown: () => go(frame - 1),
      ArrowRight: () => go(frame + 1),
      ArrowUp: () => go(frame + 1),
      Home: () => go(0),
      End: () => go(last),
    })[event.key] ?? null
  );
}

function legendOfStates() {
  const keys = ["done", "eligible", "waiting"].map((state) => {
    const dot = element("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = `var(--${state})`;
    return element("span", { class: "key" }, dot, state);
  });
  return element("p", { class: "keys" }, ...keys);
}

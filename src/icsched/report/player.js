// The game as a player: two orders side by side, step by step.

import { legendKey } from "./dag_section.js";
import { DagView } from "./dag_view.js";
import { button, choice, element, slider, spoken } from "./dom.js";
import { opponents, orderNames } from "./orders.js";
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
  return new Player(report).made;
}

class Player {
  /** @param {any} report */
  constructor(report) {
    this.steps = frames(report);
    this.last = this.steps.length - 1;
    this.frame = 0;
    this.timer = 0;
    const [left, right] = opponents(
      orderNames(report.game.orders),
      report.worth.baseline,
      report.worth.best,
    );
    const again = () => this.show(this.frame);
    this.sides = [new Side(report, "Left", left, again), new Side(report, "Right", right, again)];
    this.scrub = slider("Step", this.last, (frame) => this.go(frame));
    this.where = element("output", { class: "reading" });
    this.scrub.made.append(this.where);
    this.said = element("p", { class: "heard", role: "status" });
    this.play = button("Play", () => (this.timer ? this.pause() : this.start()), {
      class: "play",
      "data-act": "play",
    });
    this.made = this.group();
    this.made.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) =>
      this.press(event),
    );
    this.show(lastAtMost(this.steps, this.steps[this.last] / 3));
  }

  group() {
    const name = "The game, step by step: space plays, arrow keys step";
    const hint = "Space plays and pauses, arrow keys step, Home and End go to the ends.";
    return element(
      "div",
      { class: "player", id: "player", tabindex: 0, role: "group", "aria-label": name },
      legendOfStates(),
      element("div", { class: "sides" }, ...this.sides.map((side) => side.made)),
      this.scrub.made,
      this.controls(),
      element("p", { class: "hint" }, hint),
      this.said,
    );
  }

  controls() {
    return element(
      "div",
      { class: "controls" },
      button("First", () => this.go(0), { "aria-label": "First step" }),
      button("Back", () => this.go(this.frame - 1), { "aria-label": "Back one step" }),
      this.play,
      button("Next", () => this.go(this.frame + 1), { "aria-label": "Next step" }),
      button("Last", () => this.go(this.last), { "aria-label": "Last step" }),
    );
  }

  /** @param {number} frame */
  show(frame) {
    this.frame = Math.max(0, Math.min(this.last, frame));
    const step = spoken(this.steps[this.frame]);
    const words = this.sides.map((side) => side.show(this.frame)).join("; ");
    this.scrub.range.value = String(this.frame);
    this.scrub.range.setAttribute("aria-valuetext", `step ${step}: ${words}`);
    this.where.textContent = `${step} of ${spoken(this.steps[this.last])}`;
    // While it plays, a screen reader could not keep up.
    if (!this.timer) this.said.textContent = `Step ${step}. ${words}.`;
  }

  /** @param {number} frame */
  go(frame) {
    this.pause();
    this.show(frame);
  }

  start() {
    if (this.frame === this.last) this.frame = 0;
    this.play.textContent = "Pause";
    const pace = rhythm(this.last);
    this.timer = window.setInterval(() => {
      this.show(this.frame + pace.stride);
      if (this.frame === this.last) this.pause();
    }, pace.wait);
  }

  pause() {
    if (!this.timer) return;
    window.clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
    this.show(this.frame);
  }

  /** Selects and buttons keep their own keys. @param {KeyboardEvent} event */
  press(event) {
    const on = /** @type {Element} */ (event.target).tagName;
    if (on === "SELECT" || (on === "BUTTON" && event.key === " ")) return;
    const act = this.acts()[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }

  /** What each key does. @returns {Object<string, () => void>} */
  acts() {
    return {
      " ": () => this.play.click(),
      ArrowLeft: () => this.go(this.frame - 1),
      ArrowDown: () => this.go(this.frame - 1),
      ArrowRight: () => this.go(this.frame + 1),
      ArrowUp: () => this.go(this.frame + 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
    };
  }
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

function legendOfStates() {
  const keys = ["done", "eligible", "waiting"].map((state) => legendKey(`--${state}`, state));
  return element("p", { class: "keys" }, ...keys);
}

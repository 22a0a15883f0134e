// What each order looks like: a colour and a dash, so that no line is told by its colour alone.

import { shape } from "./dom.js";

const KNOWN = ["now", "auto", "critical-path", "prio", "fifo", "ceiling"];

/** The class of an order's lines; orders that the style sheet has not heard of share one. */
export function orderClass(/** @type {string} */ name) {
  return KNOWN.includes(name) ? `order-${name}` : "order-other";
}

/** An order in a sentence: "the order now" would read as an adverb. */
export function theOrder(/** @type {string} */ name) {
  return name === "now" ? "the order that the file has now" : `the order ${name}`;
}

/** A piece of the order's line, for legends. */
export function swatch(/** @type {string} */ name) {
  const line = shape("line", { x1: 1, y1: 6, x2: 35, y2: 6, class: `line ${orderClass(name)}` });
  return shape("svg", { width: 36, height: 12, class: "swatch", "aria-hidden": "true" }, line);
}

/** The names of the orders in *found*, in the order of the report. */
export function orderNames(/** @type {Object<string, any>} */ found) {
  const names = Object.keys(found);
  const known = KNOWN.filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name))];
}

/** The two orders to begin with: what the file has now, and the best that was found. */
export function opponents(
  /** @type {string[]} */ names,
  /** @type {string} */ baseline,
  /** @type {string} */ best,
) {
  const left = names.includes(baseline) ? baseline : names[0];
  const other = names.find((name) => name !== left) ?? left;
  return [left, names.includes(best) && best !== left ? best : other];
}

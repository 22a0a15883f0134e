// The first section: is it worth it? One sentence, then a bar with its interval for each order.

import {
  element,
  freshId,
  interval,
  onWidth,
  percent,
  shape,
  spoken,
  table,
  timed,
} from "./dom.js";
import { orderClass } from "./orders.js";
import { at, largest } from "./scale.js";

const ROW = 46;

/** @param {any} report @returns {Node[]} */
export function worthSection(report) {
  const { worth, pool } = report;
  const canvas = element("div", { class: "canvas" });
  const id = freshId("bars");
  onWidth(canvas, (width) => canvas.replaceChildren(bars(report, width, id)));
  return [
    element("p", { class: "verdict" }, worth.words),
    element("p", {}, pool.words),
    element(
      "figure",
      { class: "bars" },
      element(
        "figcaption",
        { id },
        "Expected time of the run. The line across the end of a bar is the interval of its mean.",
      ),
      canvas,
      worthTable(report),
    ),
  ];
}

/** @param {any} report @param {number} width @param {string} id */
function bars(report, width, id) {
  const { orders } = report.worth;
  const high = largest(
    [orders.map((/** @type {any} */ one) => one.time.high ?? one.time.mean)],
    1e-9,
  );
  const scale = { low: 0, high, from: 0, to: width - 8 };
  const rows = orders.flatMap((/** @type {any} */ order, /** @type {number} */ k) =>
    bar(report, order, k * ROW, scale, width),
  );
  return shape(
    "svg",
    { width, height: orders.length * ROW, role: "img", "aria-labelledby": id },
    ...rows,
  );
}

/** Name and value above, the bar with its interval below. */
function bar(
  /** @type {any} */ report,
  /** @type {any} */ order,
  /** @type {number} */ top,
  /** @type {any} */ scale,
  /** @type {number} */ width,
) {
  const { mean, low, high } = order.time;
  const isBest = order.name === report.worth.best;
  const [from, to] = [at(scale, low ?? mean), at(scale, high ?? mean)];
  return [
    shape(
      "text",
      { x: 0, y: top + 15, class: isBest ? "row-name best" : "row-name" },
      isBest ? `${order.name} (best)` : order.name,
    ),
    shape(
      "text",
      { x: width - 1, y: top + 15, class: "row-value", "text-anchor": "end" },
      timed(mean, report.size.unit),
    ),
    shape("rect", {
      class: `fill ${orderClass(order.name)}`,
      "data-order": order.name,
      "data-value": mean,
      x: 0,
      y: top + 22,
      width: at(scale, mean),
      height: 13,
      rx: 2,
    }),
    shape("path", { class: "whisker halo", d: whisker(from, to, top) }),
    shape("path", {
      class: "whisker",
      "data-low": low,
      "data-high": high,
      d: whisker(from, to, top),
    }),
  ];
}

function whisker(/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ top) {
  return `M${from} ${top + 28.5}H${to}M${from} ${top + 24}v9M${to} ${top + 24}v9`;
}

/** @param {any} report */
function worthTable(report) {
  const { worth, size } = report;
  const rows = worth.orders.map((/** @type {any} */ order) => [
    order.name,
    [interval(order.time), order.time.mean],
    [interval(order.stall, percent), order.stall?.mean ?? null],
    [interval(order.utilisation, percent), order.utilisation?.mean ?? null],
    order.ratio ? [interval(order.ratio), order.ratio.median] : "is compared with",
    order.words,
  ]);
  const against = `time over that of ${worth.baseline}`;
  return table(
    `Means of ${spoken(worth.runs)} simulated runs, with intervals`,
    ["order", `time in ${size.unit}`, "stalls", "utilisation", against, "what it is"],
    rows,
  );
}

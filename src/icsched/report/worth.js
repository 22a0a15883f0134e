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

const ROW = 50;

/** @param {any} report @returns {Node[]} */
export function worthSection(report) {
  const { worth, pool } = report;
  const canvas = element("div", { class: "canvas" });
  const id = freshId("bars");
  onWidth(canvas, (width) => canvas.replaceChildren(bars(report, width, id)));
  return [
    element("p", { class: "verdict" }, worth.words),
    ...worth.cautions.map((/** @type {string} */ words) =>
      element("p", { class: "caution" }, words),
    ),
    ...(worth.least_time ? [element("p", { class: "lead" }, worth.least_time.words)] : []),
    element("p", {}, pool.words),
    element(
      "figure",
      { class: "bars" },
      element("figcaption", { id }, "Expected time of the run"),
      element(
        "p",
        { class: "hint" },
        "The line below the end of a bar is the 95% interval of its mean.",
      ),
      canvas,
      worthTable(report),
    ),
  ];
}

/** @param {any} report @param {number} width @param {string} id */
function bars(report, width, id) {
  const { orders } = report.worth;
  const high = largest([orders.map((/** @type {any} */ one) => one.time.high)], 1e-9);
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

/** Name and value above, then the bar, then its interval: nothing hides the end of the bar. */
function bar(
  /** @type {any} */ report,
  /** @type {any} */ order,
  /** @type {number} */ top,
  /** @type {any} */ scale,
  /** @type {number} */ width,
) {
  const { mean, low, high } = order.time;
  const isBest = order.name === report.worth.best;
  const [from, to] = [at(scale, low), at(scale, high)];
  return [
    shape(
      "text",
      { x: 0, y: top + 15, class: isBest ? "row-name best" : "row-name" },
      isBest ? `${order.name} (recommended)` : order.name,
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
      height: 12,
      rx: 2,
    }),
    shape("path", {
      class: "whisker",
      "data-low": low,
      "data-high": high,
      d: whisker(from, to, top),
    }),
  ];
}

function whisker(/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ top) {
  return `M${from} ${top + 39}H${to}M${from} ${top + 36}v6M${to} ${top + 36}v6`;
}

/** @param {any} report */
function worthTable(report) {
  const { worth, size } = report;
  const rows = worth.orders.map((/** @type {any} */ order) => [
    order.name,
    [interval(order.time), order.time.mean],
    [interval(order.stall, percent), order.stall.mean],
    [interval(order.utilisation, percent), order.utilisation.mean],
    order.ratio ? [interval(order.ratio), order.ratio.median] : "1 (baseline)",
    order.words,
  ]);
  const against = "time over that of the baseline";
  return table(
    `Means of ${spoken(worth.runs)} simulated runs, with intervals`,
    ["order", `time in ${size.unit}`, "found nothing", "utilisation", against, "what it is"],
    rows,
    "stacked",
  );
}

// A chart of lines with axes, a legend whose entries switch lines off, and a cursor that reads out
// values. The cursor is a range, so that keyboards and screen readers have it too.

import { element, freshId, later, onWidth, shape, slider, spoken, table, toggle } from "./dom.js";
import { orderClass, swatch } from "./orders.js";
import { at, largest, lastAtMost, ticks, valueAt } from "./scale.js";

const MARGIN = { top: 12, right: 16, bottom: 40, left: 64 };

/**
 * @typedef {{name: string, x: number[], y: number[]}} Series
 * @typedef {{key: string, title: string, xName: string, yName: string, series: Series[], height?: number}} Chart
 */

/** A figure of *chart* with its legend, cursor and table. @param {Chart} chart */
export function lineChart(chart) {
  const id = freshId("chart");
  const shown = new Set(chart.series.map((series) => series.name));
  const places = allPlaces(chart.series);
  const outputs = chart.series.map(() => element("output", { class: "reading" }));
  const canvas = element("div", { class: "canvas" });
  const cursor = slider(
    `Read the values at ${chart.xName}`,
    Math.max(0, places.length - 1),
    (place) => read(place),
  );
  const state = { width: 0, place: 0, scales: /** @type {any} */ (null) };

  function redraw(width = state.width) {
    state.width = width;
    state.scales = chartScales(chart, width);
    canvas.replaceChildren(drawing(chart, shown, state.scales, width, id));
    moveCursor();
  }
  function moveCursor() {
    if (!state.scales || places.length === 0) return;
    const x = at(state.scales.x, places[state.place]);
    const line = canvas.querySelector(".cursor");
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
  function read(/** @type {number} */ place) {
    state.place = place;
    const words = chart.series.map((series, k) => {
      outputs[k].textContent = reading(series, places[place]);
      return shown.has(series.name) ? `${series.name} ${outputs[k].textContent}` : "";
    });
    cursor.range.value = String(place);
    cursor.range.setAttribute(
      "aria-valuetext",
      `${chart.xName} ${spoken(places[place])}: ${words.filter(Boolean).join(", ")}`,
    );
    where.textContent = spoken(places[place] ?? 0);
    moveCursor();
  }

  const where = element("output", { class: "reading" });
  cursor.made.append(where);
  const legend = element(
    "div",
    { class: "legend", role: "group", "aria-label": `Lines of: ${chart.title}` },
    ...chart.series.map((series, k) =>
      toggle([swatch(series.name), series.name, outputs[k]], true, (on) => {
        if (on) shown.add(series.name);
        else shown.delete(series.name);
        redraw();
      }),
    ),
  );
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const value = valueAt(state.scales.x, event.clientX - canvas.getBoundingClientRect().left);
    read(nearest(places, value));
  });
  onWidth(canvas, redraw);
  if (places.length) read(Math.floor(places.length / 3));
  return element(
    "figure",
    { class: "chart", "data-chart": chart.key },
    element("figcaption", { id }, chart.title),
    legend,
    canvas,
    cursor.made,
    later("The numbers as a table", () => numbers(chart, places)),
  );
}

/** Every place at which some line has a value, sorted. @param {Series[]} series */
function allPlaces(series) {
  return [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
}

/** The place in sorted *places* that is nearest to *value*. */
function nearest(/** @type {number[]} */ places, /** @type {number} */ value) {
  const below = Math.max(0, lastAtMost(places, value));
  const above = Math.min(places.length - 1, below + 1);
  return value - places[below] <= places[above] - value ? below : above;
}

/** The value of a line at *place*, with a sign where it lies between two known ones. */
function reading(/** @type {Series} */ series, /** @type {number} */ place) {
  const k = lastAtMost(series.x, place);
  if (k < 0 || (k === series.x.length - 1 && series.x[k] < place)) return "ended";
  if (series.x[k] === place) return spoken(series.y[k]);
  const share = (place - series.x[k]) / (series.x[k + 1] - series.x[k]);
  return `≈ ${spoken(Math.round(series.y[k] + share * (series.y[k + 1] - series.y[k])))}`;
}

/** @param {Chart} chart @param {number} width */
function chartScales(chart, width) {
  const height = chart.height ?? Math.max(220, Math.min(340, width * 0.42));
  return {
    height,
    x: {
      low: 0,
      high: largest(
        chart.series.map((one) => one.x),
        1e-9,
      ),
      from: MARGIN.left,
      to: width - MARGIN.right,
    },
    y: {
      low: 0,
      high:
        largest(
          chart.series.map((one) => one.y),
          1e-9,
        ) || 1,
      from: height - MARGIN.bottom,
      to: MARGIN.top,
    },
  };
}

/** The SVG: axes, the lines that are shown, and the cursor. */
function drawing(
  /** @type {Chart} */ chart,
  /** @type {Set<string>} */ shown,
  /** @type {any} */ scales,
  /** @type {number} */ width,
  /** @type {string} */ id,
) {
  // The ceiling comes first, under the others.
  const seen = chart.series.filter((series) => shown.has(series.name));
  seen.sort((a, b) => Number(b.name === "ceiling") - Number(a.name === "ceiling"));
  const lines = seen.map((series) =>
    shape("path", {
      class: `line ${orderClass(series.name)}`,
      "data-order": series.name,
      d: pathOf(series, scales),
    }),
  );
  const cursor = shape("line", { class: "cursor", y1: scales.y.to, y2: scales.y.from });
  return shape(
    "svg",
    { width, height: scales.height, role: "img", "aria-labelledby": id },
    ...axes(chart, scales, width),
    ...lines,
    cursor,
  );
}

/** @param {Series} series @param {any} scales */
function pathOf(series, scales) {
  const points = series.x.map(
    (x, k) => `${at(scales.x, x).toFixed(3)} ${at(scales.y, series.y[k]).toFixed(3)}`,
  );
  return points.length ? `M${points.join("L")}` : "";
}

/** Grid, ticks and names of both axes. */
function axes(/** @type {Chart} */ chart, /** @type {any} */ scales, /** @type {number} */ width) {
  const across = ticks(0, scales.x.high, Math.max(2, Math.floor(width / 130)));
  const up = ticks(0, scales.y.high, 4);
  return [
    ...up.map((value) =>
      shape("line", {
        class: "grid",
        x1: scales.x.from,
        x2: scales.x.to,
        y1: at(scales.y, value),
        y2: at(scales.y, value),
      }),
    ),
    shape("line", {
      class: "axis",
      x1: scales.x.from,
      x2: scales.x.to,
      y1: scales.y.from,
      y2: scales.y.from,
    }),
    ...across.map((value) =>
      shape(
        "text",
        {
          class: "tick",
          "data-axis": "x",
          "data-value": value,
          x: at(scales.x, value),
          y: scales.y.from + 17,
          "text-anchor": anchorOf(value, scales),
        },
        spoken(value),
      ),
    ),
    ...up.map((value) =>
      shape(
        "text",
        {
          class: "tick",
          "data-axis": "y",
          "data-value": value,
          x: scales.x.from - 8,
          y: at(scales.y, value),
          dy: "0.32em",
          "text-anchor": "end",
        },
        spoken(value),
      ),
    ),
    shape(
      "text",
      {
        class: "name",
        x: (scales.x.from + scales.x.to) / 2,
        y: scales.height - 5,
        "text-anchor": "middle",
      },
      chart.xName,
    ),
    shape(
      "text",
      {
        class: "name",
        transform: `translate(13 ${(scales.y.from + scales.y.to) / 2}) rotate(-90)`,
        "text-anchor": "middle",
      },
      chart.yName,
    ),
  ];
}

/** The last label of the axis across must not leave the picture. */
function anchorOf(/** @type {number} */ value, /** @type {any} */ scales) {
  return at(scales.x, value) > scales.x.to - 24 ? "end" : "middle";
}

/** @param {Chart} chart @param {number[]} places */
function numbers(chart, places) {
  const found = chart.series.map((series) => new Map(series.x.map((x, k) => [x, series.y[k]])));
  const rows = places.map((place) => [
    /** @type {[string, number]} */ ([spoken(place), place]),
    ...found.map(
      (values) =>
        /** @type {any} */ (
          values.has(place) ? [spoken(values.get(place)), values.get(place)] : ""
        ),
    ),
  ]);
  return table(chart.title, [chart.xName, ...chart.series.map((series) => series.name)], rows);
}

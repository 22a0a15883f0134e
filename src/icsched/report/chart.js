// A chart of lines with axes, a legend whose entries switch lines off, and a cursor that reads out
// values. The cursor is a range, so that keyboards and screen readers have it too.

import { element, freshId, later, onWidth, shape, slider, spoken, table, tenths, toggle } from "./dom.js";
import { orderClass, swatch } from "./orders.js";
import { at, largest, lastAtMost, ticks, valueAt } from "./scale.js";

const MARGIN = { top: 12, right: 16, bottom: 40 };

/**
 * @typedef {{name: string, x: number[], y: number[]}} Series
 * @typedef {{key: string, title: string, xName: string, yName: string, series: Series[],
 *   place: (value: number) => string, height?: number, first?: string[], ySize?: number,
 *   show?: (value: number) => string}} Chart
 * `place` says where a value on the axis across is; `first` names the lines shown at first, else all.
 * `ySize` is the size of the unit `yName`, 1 if it is left out. `show` makes text of a line's value.
 */

/** A figure of *chart* with its legend, cursor and table. @param {Chart} chart */
export function lineChart(chart) {
  return new LineChart(chart).made;
}

class LineChart {
  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    this.id = freshId("chart");
    this.places = allPlaces(chart.series);
    this.place = Math.floor(this.places.length / 3); // of the cursor
    this.shown = new Set(chart.first ?? chart.series.map((series) => series.name));
    this.width = 0;
    this.scales = chartScales(chart, 1);
    this.canvas = element("div", { class: "canvas" });
    this.readings = chart.series.map(() => element("output", { class: "reading" }));
    this.where = element("output", { class: "reading" });
    this.cursor = slider("Read the values at", Math.max(0, this.places.length - 1), (place) =>
      this.read(place),
    );
    this.cursor.made.append(this.where);
    this.made = this.figure();
    this.read(this.place);
    this.canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) =>
      this.follow(event),
    );
    onWidth(this.canvas, (width) => this.draw(width));
  }

  figure() {
    const { chart } = this;
    return element(
      "figure",
      { class: "chart", "data-chart": chart.key },
      element("figcaption", { id: this.id }, chart.title),
      this.legend(),
      this.canvas,
      this.cursor.made,
      later("The numbers as a table", () => numbers(chart, this.places)),
    );
  }

  legend() {
    const entries = this.chart.series.map(({ name }, k) =>
      toggle([swatch(name), name, this.readings[k]], this.shown.has(name), (isOn) =>
        this.switch(name, isOn),
      ),
    );
    return element(
      "div",
      { class: "legend", role: "group", "aria-label": `Lines of: ${this.chart.title}` },
      ...entries,
    );
  }

  /** @param {string} name @param {boolean} isOn */
  switch(name, isOn) {
    if (isOn) this.shown.add(name);
    else this.shown.delete(name);
    this.draw(this.width);
  }

  /** @param {number} width */
  draw(width) {
    this.width = width;
    this.scales = chartScales(this.chart, width);
    this.canvas.replaceChildren(drawing(this.chart, this.shown, this.scales, width, this.id));
    this.moveCursor();
  }

  moveCursor() {
    const line = this.canvas.querySelector(".cursor");
    if (!line || this.places.length === 0) return;
    const x = at(this.scales.x, this.places[this.place]);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }

  /** @param {PointerEvent} event */
  follow(event) {
    const value = valueAt(this.scales.x, event.clientX - this.canvas.getBoundingClientRect().left);
    this.read(nearest(this.places, value));
  }

  /** Show every line's value at a place of the cursor. @param {number} place */
  read(place) {
    if (this.places.length === 0) return;
    this.place = place;
    this.chart.series.forEach(
      (series, k) => (this.readings[k].textContent = reading(series, this.places[place], this.chart.show)),
    );
    this.where.textContent = this.chart.place(this.places[place]);
    this.cursor.range.value = String(place);
    this.cursor.range.setAttribute(
      "aria-valuetext",
      `${this.where.textContent}: ${this.spokenReadings()}`,
    );
    this.moveCursor();
  }

  spokenReadings() {
    const all = this.chart.series.map(({ name }, k) => ({
      name,
      text: this.readings[k].textContent,
    }));
    return all
      .filter(({ name }) => this.shown.has(name))
      .map(({ name, text }) => `${name} ${text}`)
      .join(", ");
  }
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
function reading(/** @type {Series} */ series, /** @type {number} */ place, show = tenths) {
  const k = lastAtMost(series.x, place);
  if (k < 0 || (k === series.x.length - 1 && series.x[k] < place)) return "ended";
  if (series.x[k] === place) return show(series.y[k]);
  const share = (place - series.x[k]) / (series.x[k + 1] - series.x[k]);
  return `≈ ${show(Math.round(series.y[k] + share * (series.y[k + 1] - series.y[k])))}`;
}

/** @param {Chart} chart @param {number} width */
function chartScales(chart, width) {
  const height = chart.height ?? Math.max(220, Math.min(340, width * 0.42));
  const [far, high] = [
    largest(chart.series.map((one) => one.x)) || 1,
    largest(chart.series.map((one) => one.y)) || 1,
  ];
  const longest = ticks(0, high, 4).reduce(
    (most, value) => Math.max(most, tickText(chart, value).length),
    1,
  );
  return {
    height,
    x: { low: 0, high: far, from: 32 + 7 * longest, to: width - MARGIN.right },
    y: { low: 0, high, from: height - MARGIN.bottom, to: MARGIN.top },
  };
}

/** The number at a tick of the axis up. @param {Chart} chart @param {number} value */
function tickText({ ySize = 1 }, value) {
  return spoken(value / ySize);
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
        tickText(chart, value),
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
  const show = chart.show ?? spoken;
  const found = chart.series.map((series) => new Map(series.x.map((x, k) => [x, series.y[k]])));
  const rows = places.map((place) => [
    /** @type {[string, number]} */ ([spoken(place), place]),
    ...found.map(
      (values) =>
        /** @type {any} */ (
          values.has(place) ? [show(/** @type {number} */ (values.get(place))), values.get(place)] : ""
        ),
    ),
  ]);
  return table(chart.title, [chart.xName, ...chart.series.map((series) => series.name)], rows);
}

// A run with its workers as lanes, and a cursor over time that says who works.

import { KINDS, kindLegend } from "./dag_section.js";
import {
  choice,
  counted,
  element,
  later,
  onWidth,
  shape,
  slider,
  spoken,
  table,
  timed,
} from "./dom.js";
import { opponents, orderNames } from "./orders.js";
import { at, ticks, valueAt } from "./scale.js";

const LEFT = 24;
const RIGHT = 16;
const CLICKS = 1000; // places of the cursor

/** Two runs, one above the other, on one scale of time. @param {any} report */
export function lanes(report) {
  const { lanes: found } = report;
  const names = orderNames(found.runs);
  const end = names.reduce((most, name) => Math.max(most, drawnEnd(found.runs[name])), 0) || 1;
  const [upper, lower] = opponents(
    names,
    names.includes("recorded") ? "recorded" : report.worth.baseline,
    report.worth.best,
  );
  const runs = [...new Set([upper, lower])].map((name) => new Run(report, names, name, end));
  const cursor = slider("Time", CLICKS, (place) => move(place));
  const where = element("output", { class: "reading" });
  cursor.made.append(where);
  function move(/** @type {number} */ place) {
    const time = (place / CLICKS) * end;
    const words = runs.map((run) => run.move(time));
    cursor.range.value = String(place);
    cursor.range.setAttribute("aria-valuetext", `${timed(time, found.unit)}: ${words.join("; ")}`);
    where.textContent = timed(time, found.unit);
  }
  runs.forEach((run) =>
    run.canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      const pixel = event.clientX - run.canvas.getBoundingClientRect().left;
      move(Math.round(Math.max(0, Math.min(1, valueAt(run.across, pixel) / end)) * CLICKS));
    }),
  );
  move(CLICKS / 3);
  const made = [
    element("p", {}, found.words),
    laneLegend(report),
    ...runs.map((run) => run.made),
    cursor.made,
  ];
  return element("div", { class: "lanes" }, ...made);
}

/** Where a run ends in the picture: of a long run only the beginning is drawn. @param {any} run */
function drawnEnd(run) {
  return run.is_cut
    ? run.end_of.reduce((/** @type {number} */ a, /** @type {number} */ b) => Math.max(a, b), 0)
    : run.end;
}

/** The colours of kinds, as in the dag, and the frame of what gave no result. @param {any} report */
function laneLegend(report) {
  const lost = element("span", { class: "dot lost", "aria-hidden": "true" });
  return element(
    "p",
    { class: "keys" },
    kindLegend(report.dag.kinds),
    hasLost(report) ? element("span", { class: "key" }, lost, "no result") : null,
  );
}

/** Whether a bar of some run gave no result. @param {any} report */
function hasLost(report) {
  return Object.values(report.lanes.runs).some((run) =>
    run.ending.some((/** @type {number} */ ending) => isLost(run.endings[ending])),
  );
}

/** The endings with a result are those of simulated and of recorded runs. @param {string} ending */
function isLost(ending) {
  return ending !== "result" && ending !== "done";
}

class Run {
  /** @param {any} report @param {string[]} names @param {string} name @param {number} end of the longest run */
  constructor(report, names, name, end) {
    this.report = report;
    this.end = end;
    this.across = { low: 0, high: end, from: LEFT, to: LEFT + 1 };
    this.canvas = element("div", { class: "canvas" });
    this.caption = element("figcaption");
    this.said = element("p", { class: "counts" });
    this.rest = element("div");
    const picked = choice(
      "Run",
      names.map((one) => [one, one]),
      (value) => this.choose(value),
    );
    picked.select.value = name;
    this.made = element(
      "figure",
      { class: "lane-figure" },
      picked.made,
      this.caption,
      this.canvas,
      this.said,
      this.rest,
    );
    this.choose(name);
    onWidth(this.canvas, (width) => this.draw(width));
  }

  /** @param {string} name */
  choose(name) {
    const { lanes: found } = this.report;
    this.name = name;
    this.run = found.runs[name];
    const { source, end, workers, is_cut: isCut } = this.run;
    const cut = isCut ? "; only its beginning is drawn" : "";
    const what = name === source ? name : `${name}, ${source}`;
    this.caption.textContent = `${what}: ends after ${timed(end, found.unit)} on ${counted(workers, "worker")}${cut}`;
    this.made.dataset.run = name;
    this.rest.replaceChildren(later("The numbers as a table", () => this.numbers()));
    if (this.width) this.draw(this.width);
  }

  /** One path for each kind of bar: thousands of elements would be slow. @param {number} width */
  draw(width) {
    this.width = width;
    const lanes = this.run.lane.reduce(
      (/** @type {number} */ a, /** @type {number} */ b) => Math.max(a, b + 1),
      1,
    );
    const tall = Math.min(16, 360 / lanes);
    const height = lanes * tall + 40;
    this.across = { low: 0, high: this.end, from: LEFT, to: width - RIGHT };
    const paths = new Map();
    this.run.lane.forEach((/** @type {number} */ lane, /** @type {number} */ k) => {
      const name = this.barClass(k);
      paths.set(name, (paths.get(name) ?? "") + this.bar(k, lane, tall));
    });
    // Thin lines around thin bars would hide the bars.
    const bars = [...paths].map(([name, d]) =>
      shape("path", { class: `bar ${name}${tall > 5 ? " framed" : ""}`, d }),
    );
    this.cursor = shape("line", { class: "cursor", y1: 0, y2: lanes * tall });
    this.canvas.replaceChildren(
      shape(
        "svg",
        { width, height, role: "img", "aria-label": this.caption.textContent },
        ...bars,
        ...this.axis(lanes * tall, width),
        this.cursor,
      ),
    );
    this.move(this.time ?? 0);
  }

  /** What does not end with a result is told apart. @param {number} k */
  barClass(k) {
    if (isLost(this.run.endings[this.run.ending[k]])) return "bar-lost";
    const kind = this.report.dag.kind[this.run.node[k]];
    return kind < KINDS ? `bar-kind-${kind}` : "bar-other";
  }

  bar(/** @type {number} */ k, /** @type {number} */ lane, /** @type {number} */ tall) {
    const from = at(this.across, this.run.start[k]);
    const to = at(this.across, this.run.end_of[k]);
    const gap = tall > 3 ? 1 : 0;
    return `M${from.toFixed(2)} ${(lane * tall).toFixed(2)}H${Math.max(from + 0.4, to - (to - from > 3 ? 0.7 : 0)).toFixed(2)}v${(tall - gap).toFixed(2)}H${from.toFixed(2)}z`;
  }

  axis(/** @type {number} */ floor, /** @type {number} */ width) {
    const marks = ticks(0, this.end, Math.max(2, Math.floor(width / 130)));
    return [
      shape("line", {
        class: "axis",
        x1: this.across.from,
        x2: this.across.to,
        y1: floor + 2,
        y2: floor + 2,
      }),
      ...marks.map((value) =>
        shape(
          "text",
          {
            class: "tick",
            x: at(this.across, value),
            y: floor + 18,
            "text-anchor": at(this.across, value) > this.across.to - 24 ? "end" : "middle",
          },
          spoken(value),
        ),
      ),
      shape(
        "text",
        {
          class: "name",
          x: (this.across.from + this.across.to) / 2,
          y: floor + 35,
          "text-anchor": "middle",
        },
        `time in ${this.report.lanes.unit}`,
      ),
      shape(
        "text",
        {
          class: "name",
          transform: `translate(13 ${floor / 2}) rotate(-90)`,
          "text-anchor": "middle",
        },
        floor > 60 ? "workers" : "",
      ),
    ];
  }

  /** Move the cursor and say how many work. @param {number} time */
  move(time) {
    this.time = time;
    const { start, end_of: ends } = this.run;
    const busy = start.filter(
      (/** @type {number} */ from, /** @type {number} */ k) => from <= time && time < ends[k],
    ).length;
    const ended = ends.filter((/** @type {number} */ end) => end <= time).length;
    const words = `${this.name}: ${spoken(busy)} working, ${spoken(ended)} of ${spoken(ends.length)}${this.run.is_cut ? " drawn" : ""} ended`;
    this.said.textContent = words;
    this.said.dataset.busy = String(busy);
    this.cursor?.setAttribute("x1", at(this.across, time));
    this.cursor?.setAttribute("x2", at(this.across, time));
    return words;
  }

  numbers() {
    const { run, report } = this;
    const rows = run.lane.map((/** @type {number} */ lane, /** @type {number} */ k) => [
      [spoken(lane + 1), lane + 1],
      report.dag.label[run.node[k]] ?? "another",
      [timed(run.start[k], report.lanes.unit), run.start[k]],
      [timed(run.end_of[k], report.lanes.unit), run.end_of[k]],
      run.endings[run.ending[k]],
    ]);
    return table(`Bars of ${this.name}`, ["worker", report.word, "start", "end", "ending"], rows);
  }
}

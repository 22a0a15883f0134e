// The sections that are words, charts and lists.

import { lineChart } from "./chart.js";
import { 
  button,
  element,
  inBytes,
  later,
  percent,
  spoken,
  table,
  timed,
  unitOfBytes,
} from "./dom.js";
import { opponents, orderNames, theOrder } from "./orders.js";
import { largest } from "./scale.js";

/**
 * Where the run stalls, and what everything waits for.
 * @param {any} report
 * @param {(node: number) => void} show points into the dag
 */
export function stallsSection(report, show) {
  const { stalls, size } = report;
  const lines = (/** @type {string} */ key) =>
    orderNames(stalls.timelines).map((name) => ({
      name,
      x: stalls.timelines[name].time,
      y: stalls.timelines[name][key],
    }));
  const xName = `time in ${size.unit}`;
  // The others can be switched on.
  const first = opponents(orderNames(stalls.timelines), report.worth.baseline, report.worth.best);
  const charts = orderNames(stalls.timelines).length
    ? [
        lineChart({
          key: "eligible",
          title: `Eligible ${report.word}s while the run goes on`,
          xName,
          place: (time) => timed(time, size.unit),
          yName: "eligible",
          series: lines("eligible"),
          height: 230,
          first,
        }),
        lineChart({
          key: "idle",
          title: "Workers that found nothing to do",
          xName,
          place: (time) => timed(time, size.unit),
          yName: "idle",
          series: lines("idle"),
          height: 230,
          first,
        }),
      ]
    : [];
  return [
    element("p", {}, stalls.words),
    ...(stalls.recorded ? recordedStalls(stalls.recorded) : []),
    element("div", { class: "pair" }, ...charts),
    element(
      "div",
      { class: "pair" },
      ...waitLists(first, report, show),
    ),
    ...(stalls.bottlenecks.length
      ? [
          element("h3", {}, `${capital(report.word)}s that most others wait for`),
          waited(stalls.bottlenecks, show, (one) => ({ "data-waiting": one.waiting })),
        ]
      : []),
  ];
}

/** The stalls of the log, as learn tells them. */
function recordedStalls(/** @type {{words: string, periods: string[]}} */ { words, periods }) {
  return [
    element("h3", {}, "In the recorded run"),
    element("p", {}, words),
    periods.length
      ? element("ul", { class: "recorded" }, ...periods.map((one) => element("li", {}, one)))
      : null,
  ];
}

/** What workers wait for in each order; orders with the same waits share one list. */
function waitLists(
  /** @type {string[]} */ names,
  /** @type {any} */ { stalls: { waits }, word },
  /** @type {(node: number) => void} */ show,
) {
  const known = names.filter((name) => waits[name]);
  const same = (/** @type {string} */ one, /** @type {string} */ other) =>
    waits[one].time === waits[other].time &&
    JSON.stringify(waits[one].tasks) === JSON.stringify(waits[other].tasks);
  const isShared = known.length === 2 && same(known[0], known[1]);
  return (isShared ? known.slice(0, 1) : known).map((name) => {
    const orders = (isShared ? known : [name]).map(theOrder).join(" and ");
    const { words, tasks } = waits[name];
    return element(
      "div",
      {},
      element("h3", {}, `What workers wait for in ${orders}`),
      element("p", {}, words),
      tasks.length
        ? waited(tasks, show, (one) => ({ "data-time": one.time }))
        : element("p", {}, `No ${word} keeps all waiting for more than 0.5% of the run.`),
    );
  });
}

/** @param {string} word */
function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * A list of tasks, each with a sentence. A click marks the task in the dag.
 * @param {any[]} found
 * @param {(node: number) => void} show
 * @param {(one: any) => Record<string, any>} data for tests, beside the node
 */
function waited(found, show, data) {
  return element(
    "ol",
    { class: "bottlenecks" },
    ...found.map((one) =>
      element(
        "li",
        { "data-node": one.node, ...data(one) },
        button(one.task, () => show(one.node), {
          class: "link",
          "aria-label": `${one.task}: show it in the dag`,
        }),
        ` ${one.words}`,
      ),
    ),
  );
}

/** Eligible tasks over steps, under the ceiling. @param {any} report */
export function curvesSection({ curves, word }) {
  const series = orderNames(curves.orders).map((name) => ({
    name,
    x: curves.orders[name].step,
    y: curves.orders[name].eligible,
  }));
  if (curves.ceiling)
    series.push({ name: "ceiling", x: curves.ceiling.step, y: curves.ceiling.eligible });
  return [
    element("p", {}, curves.words),
    lineChart({
      key: "curves",
      title: `Eligible ${word}s after each step, for each order${curves.ceiling ? ", under the certified ceiling" : ""}`,
      xName: "step",
      place: (step) => `step ${spoken(step)}`,
      yName: `eligible ${word}s`,
      series,
    }),
  ];
}

/** @param {any} report */
export function memorySection({ memory }) {
  const names = orderNames(memory.orders);
  const series = names.map((name) => ({
    name,
    x: memory.orders[name].step,
    y: memory.orders[name].held,
  }));
  const isBytes = memory.unit === "bytes";
  const unit = isBytes ? unitOfBytes(largest(series.map((one) => one.y))) : null;
  const show = isBytes ? inBytes : spoken;
  const peaks = names.map((name) => [
    name,
    [show(memory.orders[name].peak), memory.orders[name].peak],
  ]);
  return [
    element("p", {}, memory.words),
    lineChart({
      key: "memory",
      title: isBytes
        ? "Size of the results that are held after each step"
        : "Results that are held after each step",
      xName: "step",
      place: (step) => `step ${spoken(step)}`,
      yName: unit?.name ?? memory.unit,
      ySize: unit?.size,
      series,
      show,
    }),
    table(
      "The most that is held at once",
      ["order", isBytes ? "size" : memory.unit],
      /** @type {any} */ (peaks),
    ),
  ];
}

/** What is proved, as a tree. @param {any} report */
export function proofSection({ proof, word }) {
  const ratios = [
    ["smallest", proof.min_ratio, "at the step with the smallest share"],
    ["mean", proof.mean_ratio, "the mean of the shares of all steps"],
    ["area", proof.area_ratio, "the sum over all steps, divided by the sum of the ceiling"],
  ].filter(([, value]) => value !== null);
  // Rounded down, as in the sentence: a certified share must not look larger than it is.
  const rows = ratios.map(([name, value, words]) => [
    name,
    [percent(Math.floor(value * 1000 + 1e-9) / 1000), value],
    words,
  ]);
  return [
    element("p", { class: "lead" }, proof.words),
    rows.length
      ? table(
          `Eligible ${word}s of the order auto, as a share of the ceiling (certified)`,
          ["share", "value", "what it is"],
          /** @type {any} */ (rows),
        )
      : null,
    proof.tree ? element("ul", { class: "tree" }, branch(proof.tree, 0)) : null,
    proof.is_cut
      ? element("p", { class: "hint" }, "The tree is cut: it has more parts than are shown.")
      : null,
  ];
}

/** One theorem in words, and the parts that it rests on. */
function branch(/** @type {any} */ part, /** @type {number} */ depth) {
  const heading = [
    part.name ? element("b", {}, part.name) : null,
    part.count > 1 ? ` × ${spoken(part.count)}` : null,
    part.name ? `. ${part.words}` : part.words,
  ].filter(Boolean);
  if (part.parts.length === 0) return element("li", { "data-rule": part.rule }, ...heading);
  return element(
    "li",
    { "data-rule": part.rule },
    element(
      "details",
      { open: depth < 2 },
      element("summary", {}, ...heading),
      element("ul", {}, ...part.parts.map((/** @type {any} */ one) => branch(one, depth + 1))),
    ),
  );
}

/** @param {any} report */
export function clustersSection({ clusters }) {
  const colours = clusters.cluster ? "The dag above can be coloured by cluster." : null;
  return [
    element("p", { "data-value": clusters.count }, clusters.words),
    colours && element("p", {}, colours),
  ];
}

/** What was simulated, and how to repeat it. @param {any} report */
export function originSection(report) {
  const { worth, pool, size } = report;
  const facts = [
    ["icsched", report.version],
    ["files", report.files.join(", ")],
    ["simulated", `${spoken(worth.runs)} runs of each order, seed ${worth.seed}`],
  ];
  const list = facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]);
  return [
    element("p", {}, pool.words),
    element("p", {}, size.run_times?.words ?? "Run times are not known: each is 1 on average."),
    element("dl", { class: "origin" }, ...list),
    element("p", {}, report.to_repeat),
    element("pre", {}, report.repeat),
    later("The pool as JSON", () => element("pre", {}, poolText(pool))),
  ];
}

/** What `--pool` reads: all but the words. @param {any} pool */
function poolText({ words, ...rest }) {
  return JSON.stringify(rest, null, 1);
}

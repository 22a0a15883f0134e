// The section of the dag: colours, marks, zoom, and the details of one task.

import { DagView } from "./dag_view.js";
import { button, choice, counted, element, later, spoken, table, timed, toggle } from "./dom.js";

const RAMP = 7; // steps of colour, --ramp-0 to --ramp-6
export const KINDS = 7; // colours of kinds, --kind-0 to --kind-6; further kinds share --node

/** Which of the steps of colour each value takes; each step has as many different values. @param {number[]} values */
function rampPlaces(values) {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const place = new Map(
    sorted.map((value, k) => [
      value,
      sorted.length < 2 ? 0 : Math.floor((k / (sorted.length - 1)) * (RAMP - 0.001)),
    ]),
  );
  return values.map((value) => place.get(value) ?? 0);
}

/**
 * The ways to colour the dag: a name, the colour of a node, and a legend.
 * @param {any} report
 */
function colourings(report) {
  const { dag, size, clusters } = report;
  const ramp = (
    /** @type {string} */ key,
    /** @type {string} */ name,
    /** @type {(value: number) => string} */ show,
  ) => {
    const places = rampPlaces(dag[key]);
    return {
      key,
      name,
      fill: (/** @type {number} */ node) => `--ramp-${places[node]}`,
      legend: () => rampLegend(dag[key], places, show),
    };
  };
  const kinds = (
    /** @type {string} */ key,
    /** @type {string} */ name,
    /** @type {number[]} */ of,
    /** @type {string[]} */ names,
  ) => ({
    key,
    name,
    fill: (/** @type {number} */ node) =>
      of[node] < KINDS ? `--kind-${of[node]}` : "--node",
    legend: () => kindLegend(names),
  });
  const found = [ramp("priority", "priority", spoken)];
  if (dag.run_time) found.push(ramp("run_time", "run time", (value) => timed(value, size.unit)));
  found.push(kinds("kind", "kind", dag.kind, dag.kinds));
  if (clusters?.cluster) {
    // Neighbouring clusters must differ; how many there are does not matter.
    const colours = clusters.cluster.map((/** @type {number} */ one) => one % KINDS);
    found.push({
      ...kinds("cluster", "cluster", colours, []),
      legend: () => element("span", {}, "One colour for each cluster; colours repeat."),
    });
  }
  return found;
}

/** An entry of a legend. @param {string} fill a custom property of the style sheet @param {string} text */
export function legendKey(fill, text) {
  const dot = element("span", { class: "dot", "aria-hidden": "true" });
  dot.style.background = `var(${fill})`;
  return element("span", { class: "key" }, dot, text);
}

function rampLegend(
  /** @type {number[]} */ values,
  /** @type {number[]} */ places,
  /** @type {(value: number) => string} */ show,
) {
  const keys = [];
  for (let step = 0; step < RAMP; step += 1) {
    const of = values.filter((_, node) => places[node] === step);
    if (of.length === 0) continue;
    const [low, high] = [of.reduce((a, b) => Math.min(a, b)), of.reduce((a, b) => Math.max(a, b))];
    keys.push(legendKey(`--ramp-${step}`, low === high ? show(low) : `${show(low)} to ${show(high)}`));
  }
  return element("span", { class: "keys" }, ...keys);
}

/** @param {string[]} names */
export function kindLegend(names) {
  const keys = names.slice(0, KINDS).map((name, k) => legendKey(`--kind-${k}`, name));
  if (names.length > KINDS) keys.push(legendKey("--node", counted(names.length - KINDS, "other kind")));
  return element("span", { class: "keys" }, ...keys);
}

/**
 * The section's content, and `show(node)` for other sections to point into the dag.
 * @param {any} report
 */
export function dagSection(report) {
  const { dag } = report;
  const view = new DagView(dag, { label: `The dag in layers. ${dag.words}`, limit: 3000 });
  const details = element(
    "div",
    { class: "details", "aria-live": "polite" },
    element("p", {}, `Choose a ${report.word} in the picture to read about it.`),
  );
  const legend = element("div", { class: "keys-line" });
  const ways = colourings(report);
  const choose = (/** @type {number | null} */ node) => {
    view.choose(node);
    if (node !== null) details.replaceChildren(...nodeDetails(report, view, node, choose));
  };
  const colour = choice(
    "Colour by",
    ways.map((way) => [way.key, way.name]),
    (name) => recolour(name),
  );
  function recolour(/** @type {string} */ name) {
    const way = /** @type {any} */ (ways.find((one) => one.key === name));
    view.paint((node) => ({ fill: way.fill(node) }));
    legend.replaceChildren(way.legend());
  }
  recolour(ways[0].key);
  view.marked = flagged(dag.is_bottleneck);
  listen(view, choose);
  const controls = element(
    "div",
    { class: "controls" },
    colour.made,
    ...marks(report, view),
    ...zoomButtons(view),
  );
  const frame = element(
    "figure",
    { id: "dag-figure" },
    element("figcaption", {}, dag.words),
    controls,
    legend,
    view.made,
    element(
      "p",
      { class: "hint" },
      "Arrow keys go from one to the next, plus and minus zoom, 0 shows all. The wheel zooms after a click.",
    ),
    details,
    later("The numbers as a table", () => nodeTable(report)),
  );
  const show = (/** @type {number} */ node) => {
    choose(node);
    view.made.focus({ preventScroll: true });
    frame.scrollIntoView({ block: "start" });
  };
  return { made: frame, show };
}

/** @param {number[]} flags */
function flagged(flags) {
  return flags.flatMap((flag, node) => (flag ? [node] : []));
}

/** What can be marked in the picture. @param {any} report @param {DagView} view */
function marks(report, view) {
  const { dag, stalls } = report;
  const set =
    (
      /** @type {"marked" | "onPath" | "hasOutlines"} */ name,
      /** @type {any} */ off,
      /** @type {any} */ value,
    ) =>
    (/** @type {boolean} */ on) => {
      /** @type {any} */ (view)[name] = on ? value : off;
      view.draw();
    };
  const found = [];
  if (dag.is_bottleneck.some(Boolean))
    found.push(toggle(["bottlenecks"], true, set("marked", [], flagged(dag.is_bottleneck))));
  if (dag.block && dag.blocks.length > 1)
    found.push(toggle(["blocks"], false, set("hasOutlines", false, true)));
  found.push(toggle(["critical path"], false, set("onPath", [], stalls.critical_path.nodes)));
  return found;
}

/** @param {DagView} view */
function zoomButtons(view) {
  return [
    button("+", () => view.zoom(1.5), { "aria-label": "Zoom in" }),
    button("−", () => view.zoom(1 / 1.5), { "aria-label": "Zoom out" }),
    button("←", () => view.pan(80, 0), { "aria-label": "Move left" }),
    button("→", () => view.pan(-80, 0), { "aria-label": "Move right" }),
    button("↑", () => view.pan(0, 80), { "aria-label": "Move up" }),
    button("↓", () => view.pan(0, -80), { "aria-label": "Move down" }),
    button("Show all", () => view.fit()),
  ];
}

/** Keys, wheel, click and drag. @param {DagView} view @param {(node: number | null) => void} choose */
function listen(view, choose) {
  const box = view.made;
  box.tabIndex = 0;
  // Arrow keys belong to the picture, so a screen reader must hand them on.
  box.setAttribute("role", "application");
  box.setAttribute(
    "aria-label",
    "The dag: arrow keys go from one to the next, plus and minus zoom, 0 shows all",
  );
  box.addEventListener("focus", () => view.chosen === null && choose(0));
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const did = zoomKey(view, event.key) || walkKey(view, event.key, choose);
    if (did) event.preventDefault();
  });
  box.addEventListener(
    "wheel",
    (/** @type {WheelEvent} */ event) => {
      if (document.activeElement !== box && !event.ctrlKey) return; // the page scrolls
      event.preventDefault();
      const frame = box.getBoundingClientRect();
      view.zoom(
        event.deltaY < 0 ? 1.2 : 1 / 1.2,
        event.clientX - frame.left,
        event.clientY - frame.top,
      );
    },
    { passive: false },
  );
  drag(view, choose);
}

/** A press that does not move chooses, one that moves pans. */
function drag(/** @type {DagView} */ view, /** @type {(node: number | null) => void} */ choose) {
  let last = /** @type {PointerEvent | null} */ (null);
  let moved = 0;
  view.made.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    [last, moved] = [event, 0];
  });
  view.made.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!last || event.buttons === 0) return;
    moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
    view.pan(event.clientX - last.clientX, event.clientY - last.clientY);
    last = event;
  });
  view.made.addEventListener("click", (/** @type {PointerEvent} */ event) => {
    const frame = view.made.getBoundingClientRect();
    const node = view.nodeAt(event.clientX - frame.left, event.clientY - frame.top);
    if (moved < 5 && node !== null) choose(node);
  });
}

function zoomKey(/** @type {DagView} */ view, /** @type {string} */ pressed) {
  if (pressed === "+" || pressed === "=") view.zoom(1.5);
  else if (pressed === "-") view.zoom(1 / 1.5);
  else if (pressed === "0") view.fit();
  else return false;
  return true;
}

/** Left and right go along a level, up and down to a parent or child, Home and End to the ends. */
function walkKey(
  /** @type {DagView} */ view,
  /** @type {string} */ pressed,
  /** @type {(node: number | null) => void} */ choose,
) {
  const from = view.chosen ?? 0;
  const beside = (/** @type {number} */ by) => {
    const level = view.dag.level.flatMap((/** @type {number} */ one, /** @type {number} */ node) =>
      one === view.dag.level[from] ? [node] : [],
    );
    level.sort((/** @type {number} */ a, /** @type {number} */ b) => view.dag.x[a] - view.dag.x[b]);
    return level[level.indexOf(from) + by];
  };
  const next = /** @type {Object<string, () => number | undefined>} */ ({
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
    ArrowUp: () => view.near[from].parents[0],
    ArrowDown: () => view.near[from].children[0],
    Home: () => 0,
    End: () => view.dag.x.length - 1,
  })[pressed];
  if (!next) return false;
  choose(next() ?? from);
  return true;
}

/** Heading, facts, and links to the neighbours. */
function nodeDetails(
  /** @type {any} */ report,
  /** @type {DagView} */ view,
  /** @type {number} */ node,
  /** @type {(node: number | null) => void} */ choose,
) {
  const facts = nodeFacts(report, node);
  const list = element(
    "dl",
    {},
    ...facts.flatMap(([name, text, value]) => [
      element("dt", {}, name),
      element("dd", { "data-value": value }, text),
    ]),
  );
  const { parents, children } = view.near[node];
  return [
    element("h3", {}, report.dag.label[node]),
    list,
    ...links(report, "Parents", parents, choose),
    ...links(report, "Children", children, choose),
  ];
}

function links(
  /** @type {any} */ report,
  /** @type {string} */ name,
  /** @type {number[]} */ nodes,
  /** @type {(node: number | null) => void} */ choose,
) {
  if (nodes.length === 0) return [];
  const few = nodes
    .slice(0, 8)
    .map((node) => button(report.dag.label[node], () => choose(node), { class: "link" }));
  const rest = nodes.length > few.length ? ` and ${spoken(nodes.length - few.length)} more` : null;
  return [
    element("p", {}, `${name}: `, ...few.flatMap((one, k) => (k ? [" ", one] : [one])), rest),
  ];
}

/** @param {any} report @param {number} node @returns {[string, string, any][]} */
function nodeFacts({ dag, size, word }, node) {
  const block = dag.block && dag.blocks[dag.block[node]];
  const facts = [
    dag.is_grouped ? [`${word}s in this group`, spoken(dag.tasks[node]), dag.tasks[node]] : null,
    ["kind", dag.kinds[dag.kind[node]], null],
    ["level", spoken(dag.level[node]), dag.level[node]],
    ["priority", spoken(dag.priority[node]), dag.priority[node]],
    dag.run_time ? ["run time", timed(dag.run_time[node], size.unit), dag.run_time[node]] : null,
    block ? ["block", block.words, null] : null,
    dag.is_bottleneck[node] ? ["bottleneck", "yes", null] : null,
  ];
  return /** @type {any} */ (facts.filter(Boolean));
}

/** @param {any} report */
function nodeTable(report) {
  const { dag, size } = report;
  const rows = dag.x.map((/** @type {any} */ _, /** @type {number} */ node) => [
    dag.label[node],
    [spoken(dag.tasks[node]), dag.tasks[node]],
    dag.kinds[dag.kind[node]],
    [spoken(dag.level[node]), dag.level[node]],
    [spoken(dag.priority[node]), dag.priority[node]],
    dag.run_time ? [timed(dag.run_time[node], size.unit), dag.run_time[node]] : "",
  ]);
  return table(
    "The dag",
    ["name", `${report.word}s`, "kind", "level", "priority", "run time"],
    rows,
  );
}

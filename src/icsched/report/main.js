// Reads the report and builds the page, section by section, in the order of the reader's questions.

import { dagSection } from "./dag_section.js";
import { counted, element, timed } from "./dom.js";
import { lanes } from "./lanes.js";
import { player } from "./player.js";
import {
  clustersSection,
  curvesSection,
  memorySection,
  originSection,
  proofSection,
  stallsSection,
} from "./sections.js";
import { worthSection } from "./worth.js";

/** @typedef {{id: string, title: string, parts: (Node | null)[]}} Section */

/** @param {any} report @returns {Section[]} */
function sections(report) {
  const dag = dagSection(report);
  const found = [
    { id: "worth", title: "Is another order worth it?", parts: worthSection(report) },
    { id: "stalls", title: "Where does the run stall?", parts: stallsSection(report, dag.show) },
    { id: "curves", title: `How many ${report.word}s are eligible?`, parts: curvesSection(report) },
    { id: "dag", title: "What does the dag look like?", parts: [dag.made] },
    { id: "game", title: "How does each order play out?", parts: gameParts(report) },
    { id: "memory", title: "How much is held at once?", parts: memorySection(report) },
    { id: "proof", title: "What is proved?", parts: proofSection(report) },
    {
      id: "clusters",
      title: "Which clusters are there?",
      parts: report.clusters ? clustersSection(report) : [],
    },
    { id: "origin", title: "What was simulated?", parts: originSection(report) },
  ];
  return found.filter((section) => section.parts.length > 0);
}

/** @param {any} report */
function gameParts(report) {
  const hasRuns = Object.keys(report.lanes.runs).length > 0;
  return [
    element(
      "p",
      {},
      `A ${report.word} is eligible once all its parents are done. Many eligible ${report.word}s can feed many workers.`,
    ),
    player(report),
    hasRuns ? element("h3", {}, "The workers of one run") : null,
    hasRuns ? lanes(report) : null,
  ];
}

/** @param {any} report */
function header(report) {
  const { size, word } = report;
  const times = size.run_times;
  const facts = [
    counted(size.tasks, word),
    counted(size.arcs, "arc"),
    counted(size.levels, "level"),
    size.done ? `${counted(size.done, word)} done` : null,
    times ? `${timed(times.total, size.unit)} of work` : null,
    times ? `longest ${times.longest.task}, ${timed(times.longest.time, size.unit)}` : null,
  ];
  return [
    element("p", { class: "kicker" }, "icsched report"),
    element("h1", {}, report.name),
    element("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
  ];
}

/** @param {Section} section */
function sectionElement({ id, title, parts }) {
  return element(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title),
    ...parts,
  );
}

/** @param {string[]} notes */
function noteList(notes) {
  if (notes.length === 0) return [];
  return [
    element(
      "aside",
      { "aria-label": "Notes" },
      element("ul", {}, ...notes.map((note) => element("li", {}, note))),
    ),
  ];
}

function start() {
  const report = JSON.parse(/** @type {any} */ (document.getElementById("report")).textContent);
  const found = sections(report);
  const links = found.map(({ id, title }) =>
    element("li", {}, element("a", { href: `#${id}` }, title)),
  );
  document
    .querySelector("header")
    ?.append(
      ...header(report),
      element("nav", { "aria-label": "Contents" }, element("ol", {}, ...links)),
    );
  document.querySelector("main")?.append(...noteList(report.notes), ...found.map(sectionElement));
  document.documentElement.dataset.ready = "yes"; // for tests: all sections are there
}

start();

// A scene of the dag as SVG: one rect a node, reused from draw to draw, and one path for all arcs.

import { shape } from "./dom.js";

/** The path of arcs, each a curve that leaves and arrives upright. @param {number[][]} arcs */
function arcPath(arcs) {
  return arcs
    .map(([x1, y1, x2, y2]) => {
      const bend = (y2 - y1) / 2;
      return `M${x1.toFixed(1)} ${y1.toFixed(1)}C${x1.toFixed(1)} ${(y1 + bend).toFixed(1)} ${x2.toFixed(1)} ${(y2 - bend).toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
    })
    .join("");
}

/** Many arcs are drawn fainter, or they would be one dark field. @param {number} count */
export function strength(count) {
  return Math.max(0.18, Math.min(1, 300 / Math.max(1, count)));
}

/** Set only what has changed: a draw of thousands of nodes mostly changes few. */
function update(/** @type {any} */ made, /** @type {Object<string, any>} */ attributes) {
  made.last ??= {};
  for (const [name, value] of Object.entries(attributes)) {
    if (made.last[name] === value) continue;
    made.last[name] = value;
    made.setAttribute(name, String(value));
  }
}

export class SvgPainter {
  constructor() {
    this.arcs = shape("path", { class: "arcs" });
    this.chosenArcs = shape("path", { class: "arcs chosen" });
    this.outlines = shape("g", { class: "outlines" });
    this.nodes = shape("g", { class: "nodes" });
    this.marks = shape("g", { class: "marks" });
    this.labels = shape("g", { class: "labels" });
    this.made = shape(
      "svg",
      {},
      this.outlines,
      this.arcs,
      this.chosenArcs,
      this.nodes,
      this.marks,
      this.labels,
    );
  }

  /** @param {import("./dag_view.js").Scene} scene */
  draw(scene) {
    update(this.made, { width: scene.width, height: scene.height });
    update(this.arcs, { d: arcPath(scene.arcs), "stroke-opacity": strength(scene.arcs.length) });
    update(this.chosenArcs, {
      d: arcPath(scene.chosenArcs),
      "stroke-width": scene.chosenArcs.length > 40 ? 0.7 : 2,
    });
    this.outlines.replaceChildren(...scene.outlines.map((box) => shape("rect", { ...box, rx: 8 })));
    scene.boxes.forEach((box, node) => this.node(scene, node, box));
    this.marks.replaceChildren(...this.rings(scene));
    this.labels.replaceChildren(
      ...scene.labels.map(({ x, y, text }) =>
        shape("text", { x, y, "text-anchor": "middle" }, text),
      ),
    );
  }

  /** A group has two more rects: the share that is done, and the share that is ready. */
  node(/** @type {any} */ scene, /** @type {number} */ node, /** @type {any} */ box) {
    const look = scene.looks[node];
    const hasShares = look.done !== undefined;
    const made =
      this.nodes.children[node] ??
      this.nodes.appendChild(shape("g", { "data-node": node }, shape("rect", { class: "node" })));
    // A line around a node of a few pixels would hide its colour.
    const isTiny = Math.min(box.width, box.height) < 4;
    update(made, { "data-state": look.state ?? "", "stroke-width": isTiny ? 0.3 : 1 });
    this.rect(made.children[0], box, scene.round ? box.width / 2 : 2, look.fill);
    if (!hasShares) return;
    if (made.childElementCount === 1)
      made.append(shape("rect", { class: "share" }), shape("rect", { class: "share" }));
    const done = box.width * look.done;
    this.rect(made.children[1], { ...box, width: done }, 0, "--done");
    this.rect(
      made.children[2],
      { ...box, x: box.x + done, width: box.width * look.ready },
      0,
      "--eligible",
    );
  }

  rect(
    /** @type {any} */ made,
    /** @type {any} */ box,
    /** @type {number} */ rx,
    /** @type {string} */ fill,
  ) {
    update(made, {
      x: box.x.toFixed(2),
      y: box.y.toFixed(2),
      width: box.width.toFixed(2),
      height: box.height.toFixed(2),
      rx,
    });
    if (made.fill === fill) return;
    made.fill = fill;
    made.style.fill = `var(${fill})`;
  }

  rings(/** @type {any} */ scene) {
    const ring = (
      /** @type {number} */ node,
      /** @type {string} */ name,
      /** @type {number} */ away,
    ) => {
      const { x, y, width, height } = scene.boxes[node];
      const box = { x: x - away, y: y - away, width: width + 2 * away, height: height + 2 * away };
      return shape("rect", { ...box, rx: scene.round ? box.width / 2 : 4, class: name });
    };
    return [
      ...scene.onPath.map((/** @type {number} */ node) => ring(node, "on-path", 1)),
      ...scene.marked.map((/** @type {number} */ node) => ring(node, "marked", 3)),
      ...(scene.chosen === null ? [] : [ring(scene.chosen, "chosen", 6)]),
    ];
  }
}

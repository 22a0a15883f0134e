// The dag in layers, as a picture that can be moved, zoomed and walked through.
// Places are laid out in pixels at every change, so that marks keep their size at any zoom.

import { element, onWidth } from "./dom.js";
import { CanvasPainter } from "./paint_canvas.js";
import { SvgPainter } from "./paint_svg.js";

const EDGE = 26; // pixels between the picture and its frame

/**
 * @typedef {{fill: string, done?: number, ready?: number, state?: string}} Look
 * `fill` names a custom property of the style sheet; done and ready are shares of a group.
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {{boxes: Box[], looks: Look[], arcs: number[][], chosenArcs: number[][], outlines: Box[],
 *   labels: {x: number, y: number, text: string}[], marked: number[], onPath: number[],
 *   chosen: number | null, width: number, height: number, round: boolean}} Scene
 */

export class DagView {
  /**
   * @param {any} dag
   * @param {{label: string, limit: number, isStill?: boolean}} options a still picture has no keys
   */
  constructor(dag, options) {
    this.dag = dag;
    this.options = options;
    this.painter = dag.x.length > options.limit ? new CanvasPainter() : new SvgPainter();
    this.painter.made.setAttribute("role", "img");
    this.painter.made.setAttribute("aria-label", options.label);
    this.looks = dag.x.map(() => ({ fill: "--node" }));
    this.size = { width: 0, height: 0 };
    this.view = { zoom: 1, x: 0, y: 0 }; // of the middle, in pixels away from the whole picture's
    this.chosen = null;
    this.marked = [];
    this.onPath = [];
    this.hasOutlines = false;
    this.boxes = [];
    this.near = neighbours(dag);
    this.made = element("div", { class: "viewport" }, this.painter.made);
    onWidth(this.made, (width) => this.resize(width));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** @param {number} width */
  resize(width) {
    const levels = Math.max(1, ...this.dag.level) + 1;
    const most = this.options.isStill ? 300 : 560;
    const height = Math.max(
      140,
      Math.min(most, levels * (this.dag.is_grouped ? 34 : 44)) + 2 * EDGE,
    );
    this.size = { width, height };
    this.draw();
  }

  /** @param {(node: number) => Look} lookOf */
  paint(lookOf) {
    this.looks = this.dag.x.map((/** @type {any} */ _, /** @type {number} */ node) => lookOf(node));
    this.draw();
  }

  /** Zoom by *factor*, keeping the pixel (x, y) where it is. */
  zoom(factor = 1, x = this.size.width / 2, y = this.size.height / 2) {
    const zoom = Math.max(1, Math.min(64, this.view.zoom * factor));
    const grown = zoom / this.view.zoom;
    const [middleX, middleY] = [this.size.width / 2, this.size.height / 2];
    this.view = {
      zoom,
      x: (this.view.x + middleX - x) * grown + x - middleX,
      y: (this.view.y + middleY - y) * grown + y - middleY,
    };
    this.pan(0, 0);
  }

  /** Move the picture, but never out of its frame. */
  pan(/** @type {number} */ across, /** @type {number} */ down) {
    const room = (/** @type {number} */ size) => ((this.view.zoom - 1) * size) / 2;
    const held = (/** @type {number} */ value, /** @type {number} */ most) =>
      Math.max(-most, Math.min(most, value));
    this.view.x = held(this.view.x + across, room(this.size.width));
    this.view.y = held(this.view.y + down, room(this.size.height));
    this.draw();
  }

  fit() {
    this.view = { zoom: 1, x: 0, y: 0 };
    this.draw();
  }

  /** Choose a node and move it into the picture. @param {number | null} node */
  choose(node) {
    this.chosen = node;
    if (node !== null) this.reveal(node);
    this.draw();
  }

  /** @param {number} node */
  reveal(node) {
    const [x, y] = this.place(node);
    const out = (/** @type {number} */ value, /** @type {number} */ size) =>
      Math.max(0, EDGE - value) - Math.max(0, value - size + EDGE);
    this.pan(out(x, this.size.width), out(y, this.size.height));
  }

  /** The pixel of a node's middle. @param {number} node */
  place(node) {
    const { width, height } = this.size;
    const { zoom, x, y } = this.view;
    const across = EDGE + ((this.dag.x[node] + 0.5) / (this.dag.width + 1)) * (width - 2 * EDGE);
    const down = EDGE + (this.dag.y[node] / Math.max(1e-9, this.dag.height)) * (height - 2 * EDGE);
    const high = this.dag.height > 0 ? down : height / 2;
    return [
      (across - width / 2) * zoom + width / 2 + x,
      (high - height / 2) * zoom + height / 2 + y,
    ];
  }

  /** Half the sizes of a node: as large as its neighbours allow. */
  halves() {
    const { width, height } = this.size;
    const across = ((width - 2 * EDGE) / (this.dag.width + 1)) * this.view.zoom;
    const down = ((height - 2 * EDGE) / Math.max(1, this.dag.height)) * this.view.zoom;
    if (this.dag.is_grouped)
      return [Math.max(2, Math.min(34, across * 0.42)), Math.max(2, Math.min(7, down * 0.3))];
    const half = Math.max(1.5, Math.min(9, across * 0.38, down * 0.3));
    return [half, half];
  }

  draw() {
    if (this.size.width === 0) return;
    const [halfWidth, halfHeight] = this.halves();
    this.boxes = this.dag.x.map((/** @type {any} */ _, /** @type {number} */ node) => {
      const [x, y] = this.place(node);
      return { x: x - halfWidth, y: y - halfHeight, width: 2 * halfWidth, height: 2 * halfHeight };
    });
    this.painter.draw(this.scene());
  }

  /** @returns {Scene} */
  scene() {
    const { parent, child } = this.dag.arcs;
    const arcs = parent.map((/** @type {number} */ from, /** @type {number} */ k) =>
      this.arc(from, child[k]),
    );
    const chosen = this.chosen;
    return {
      ...this.size,
      boxes: this.boxes,
      looks: this.looks,
      arcs,
      chosenArcs:
        chosen === null
          ? []
          : arcs.filter(
              (/** @type {any} */ _, /** @type {number} */ k) =>
                parent[k] === chosen || child[k] === chosen,
            ),
      outlines: this.hasOutlines ? this.outlines() : [],
      labels: this.options.isStill ? [] : this.labels(),
      marked: this.marked,
      onPath: this.onPath,
      chosen,
      round: !this.dag.is_grouped,
    };
  }

  /** From below the parent to above the child. */
  arc(/** @type {number} */ from, /** @type {number} */ to) {
    const [above, below] = [this.boxes[from], this.boxes[to]];
    return [above.x + above.width / 2, above.y + above.height, below.x + below.width / 2, below.y];
  }

  /** A frame around the nodes of each block that has more than one. */
  outlines() {
    const found = new Map();
    this.dag.block.forEach((/** @type {number | null} */ block, /** @type {number} */ node) => {
      if (block === null || block < 0) return;
      const { x, y, width, height } = this.boxes[node];
      const frame = found.get(block) ?? { count: 0, left: x, top: y, right: x, bottom: y };
      found.set(block, {
        count: frame.count + 1,
        left: Math.min(frame.left, x - 4),
        top: Math.min(frame.top, y - 4),
        right: Math.max(frame.right, x + width + 4),
        bottom: Math.max(frame.bottom, y + height + 4),
      });
    });
    return [...found.values()]
      .filter((frame) => frame.count > 1)
      .map(({ left, top, right, bottom }) => ({
        x: left,
        y: top,
        width: right - left,
        height: bottom - top,
      }));
  }

  /** Labels of the nodes in sight, each only where it covers no other. */
  labels() {
    const free = new Map(); // by row of pixels: where the last label ended
    const inSight = this.boxes
      .map((box, node) => ({ box, node }))
      .filter(
        ({ box }) =>
          box.x > 0 &&
          box.x + box.width < this.size.width &&
          box.y > 0 &&
          box.y + box.height < this.size.height - 12,
      );
    inSight.sort((a, b) => a.box.x - b.box.x || a.node - b.node);
    return inSight.flatMap(({ box, node }) => {
      const text = shortened(this.dag.label[node]);
      const half = text.length * 3.6 + 4;
      const x = box.x + box.width / 2;
      const row = Math.round(box.y);
      if (x - half < Math.max(2, free.get(row) ?? 0) || x + half > this.size.width - 2) return [];
      if (box.height < 6) return [];
      free.set(row, x + half);
      return [{ x, y: box.y + box.height + 11, text }];
    });
  }

  /** The node at a pixel, or the nearest within a finger's breadth. */
  nodeAt(/** @type {number} */ x, /** @type {number} */ y) {
    let best = null;
    let least = 14;
    this.boxes.forEach((box, node) => {
      const across = Math.max(box.x - x, 0, x - box.x - box.width);
      const down = Math.max(box.y - y, 0, y - box.y - box.height);
      const away = Math.hypot(across, down);
      if (away < least) [best, least] = [node, away];
    });
    return best;
  }
}

/** @param {string} text */
function shortened(text) {
  return text.length <= 16 ? text : `${text.slice(0, 7)}…${text.slice(-7)}`;
}

/** Parents and children of every node, as lists. @param {any} dag */
export function neighbours(dag) {
  const near = dag.x.map(() => ({ parents: [], children: [] }));
  dag.arcs.parent.forEach((/** @type {number} */ from, /** @type {number} */ k) => {
    near[from].children.push(dag.arcs.child[k]);
    near[dag.arcs.child[k]].parents.push(from);
  });
  return near;
}

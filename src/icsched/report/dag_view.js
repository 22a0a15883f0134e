// The dag in layers, as a picture that can be moved, zoomed and walked through.
// Places are laid out in pixels at every change, so that marks keep their size at any zoom.

import { element, onWidth, spoken } from "./dom.js";
import { CanvasPainter } from "./paint_canvas.js";
import { SvgPainter } from "./paint_svg.js";

const EDGE = 12; // pixels between the picture and its frame

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
    this.marked = /** @type {number[]} */ ([]);
    this.onPath = /** @type {number[]} */ ([]);
    this.hasOutlines = false;
    this.boxes = /** @type {Box[]} */ ([]);
    this.near = neighbours(dag);
    this.room = rooms(dag);
    this.made = element("div", { class: "viewport" }, this.painter.made);
    onWidth(this.made, (width) => this.resize(width));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** @param {number} width */
  resize(width) {
    const most = this.options.isStill ? 320 : 600;
    const height = Math.max(140, Math.min(most, this.dag.height * 44 + 2 * EDGE));
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
      Math.max(0, 60 - value) - Math.max(0, value - size + 60);
    this.pan(out(x, this.size.width), out(y, this.size.height));
  }

  /** The pixel of a node's middle. @param {number} node */
  place(node) {
    const { width, height } = this.size;
    const { zoom, x, y } = this.view;
    const across = EDGE + (this.dag.x[node] / this.dag.width) * (width - 2 * EDGE);
    const down = EDGE + (this.dag.y[node] / this.dag.height) * (height - 2 * EDGE);
    return [
      (across - width / 2) * zoom + width / 2 + x,
      (down - height / 2) * zoom + height / 2 + y,
    ];
  }

  /** Half the sizes of each node: as large as its neighbours on its level allow. */
  halves() {
    const { width, height } = this.size;
    const across = ((width - 2 * EDGE) / this.dag.width) * this.view.zoom;
    const down = this.rowHeight();
    return this.room.map((gap) => {
      if (this.dag.is_grouped)
        return [
          Math.max(2, Math.min(60, across * gap * 0.42)),
          Math.max(0.8, Math.min(7, down * 0.3)),
        ];
      const half = Math.max(1.25, Math.min(8, across * gap * 0.38, down * 0.3));
      return [half, half];
    });
  }

  /** The pixels from one level to the next. */
  rowHeight() {
    return ((this.size.height - 2 * EDGE) / this.dag.height) * this.view.zoom;
  }

  draw() {
    if (this.size.width === 0) return;
    this.boxes = this.halves().map(([across, down], node) => {
      const [x, y] = this.place(node);
      return { x: x - across, y: y - down, width: 2 * across, height: 2 * down };
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
      if (block === null) return;
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

  /** Labels of the nodes in sight, each only where it covers no other and no node. */
  labels() {
    const free = new Map(); // by level: where the last label ended
    const order = this.boxes
      .map((_, node) => node)
      .filter((node) => this.isInSight(this.boxes[node]));
    order.sort((a, b) => this.boxes[a].x - this.boxes[b].x || a - b);
    return order.flatMap((node) => {
      const { left, right, y, text } = this.labelBox(node);
      const level = this.dag.y[node];
      const start = Math.max(2, free.get(level) ?? 0);
      const hasRoom = this.boxes[node].height >= 6 && right <= this.endOfRoom(node);
      if (left < start || !hasRoom) return [];
      free.set(level, right);
      return [{ x: (left + right) / 2, y, text }];
    });
  }

  /** Below the node, or to its right where levels are too close. @param {number} node */
  labelBox(node) {
    const { x, y, width, height } = this.boxes[node];
    const text = this.labelOf(node);
    const long = widthOf(text) + 8;
    if (this.isLabelBelow()) {
      const middle = x + width / 2;
      return { left: middle - long / 2, right: middle + long / 2, y: y + height + 11, text };
    }
    return { left: x + width + 4, right: x + width + 4 + long, y: y + height / 2 + 4, text };
  }

  isLabelBelow() {
    return this.rowHeight() >= 30;
  }

  /** How far to the right a label may go: to the frame, or to the next node beside it. */
  endOfRoom(/** @type {number} */ node) {
    const { width } = this.size;
    if (this.isLabelBelow()) return width - 2;
    const gap = ((width - 2 * EDGE) / this.dag.width) * this.view.zoom * this.room[node];
    return Math.min(width - 2, this.boxes[node].x + gap - 2);
  }

  /** @param {Box} box */
  isInSight(box) {
    const { width, height } = this.size;
    return box.x > 0 && box.x + box.width < width && box.y > 0 && box.y + box.height < height - 12;
  }

  /** @param {number} node */
  labelOf(node) {
    const count = this.dag.tasks[node];
    return shortened(this.dag.label[node]) + (count > 1 ? ` × ${spoken(count)}` : "");
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

const RULER = /** @type {any} */ (document.createElement("canvas").getContext("2d"));

/** The width of a label in pixels. @param {string} text */
function widthOf(text) {
  RULER.font = "11px system-ui, sans-serif";
  return RULER.measureText(text).width;
}

/** @param {string} text */
function shortened(text) {
  return text.length <= 16 ? text : `${text.slice(0, 7)}…${text.slice(-7)}`;
}

/** Parents and children of every node, as lists. @param {any} dag */
function neighbours(dag) {
  const near = dag.x.map(() => ({ parents: [], children: [] }));
  dag.arcs.parent.forEach((/** @type {number} */ from, /** @type {number} */ k) => {
    near[from].children.push(dag.arcs.child[k]);
    near[dag.arcs.child[k]].parents.push(from);
  });
  return near;
}

/** How far each node is from its nearest neighbour on its level, in units of the layout. */
function rooms(/** @type {any} */ dag) {
  const levels = new Map();
  dag.y.forEach((/** @type {number} */ y, /** @type {number} */ node) =>
    levels
      .set(y, levels.get(y) ?? [])
      .get(y)
      .push(node),
  );
  const room = new Array(dag.x.length).fill(dag.width);
  for (const level of levels.values()) {
    const places = level
      .map((/** @type {number} */ node) => dag.x[node])
      .sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
    const gaps = places
      .slice(1)
      .map((/** @type {number} */ place, /** @type {number} */ k) => place - places[k]);
    const least = gaps.reduce(
      (/** @type {number} */ a, /** @type {number} */ b) => Math.min(a, b),
      dag.width,
    );
    for (const node of level) room[node] = least;
  }
  return room;
}

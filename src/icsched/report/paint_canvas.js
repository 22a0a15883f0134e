// A scene of the dag on a canvas, for more nodes than a document should have elements.

import { element } from "./dom.js";
import { strength } from "./paint_svg.js";

export class CanvasPainter {
  constructor() {
    this.made = element("canvas");
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.made.getContext("2d"));
    this.colours = new Map();
  }

  /** The colour that the style sheet gives to a custom property now. @param {string} name */
  colour(name) {
    if (!this.colours.has(name))
      this.colours.set(name, getComputedStyle(this.made).getPropertyValue(name).trim());
    return this.colours.get(name);
  }

  /** @param {import("./dag_view.js").Scene} scene */
  draw(scene) {
    this.colours.clear(); // light may have turned to dark
    const fine = window.devicePixelRatio || 1;
    this.made.width = scene.width * fine;
    this.made.height = scene.height * fine;
    this.made.style.width = `${scene.width}px`;
    this.made.style.height = `${scene.height}px`;
    this.pen.setTransform(fine, 0, 0, fine, 0, 0);
    scene.outlines.forEach((box) => this.ring(box, 0, "--outline", 1.5, true));
    this.curves(scene.arcs, "--arc", strength(scene.arcs.length), 1);
    this.curves(scene.chosenArcs, "--chosen", 1, scene.chosenArcs.length > 40 ? 0.7 : 2);
    scene.boxes.forEach((box, node) => this.node(box, scene.looks[node], scene.round));
    scene.onPath.forEach((node) => this.ring(scene.boxes[node], 1, "--path", 2, scene.round));
    scene.marked.forEach((node) => this.ring(scene.boxes[node], 3, "--marked", 2, scene.round));
    if (scene.chosen !== null) this.ring(scene.boxes[scene.chosen], 6, "--chosen", 3, scene.round);
    this.texts(scene.labels);
  }

  curves(
    /** @type {number[][]} */ arcs,
    /** @type {string} */ name,
    /** @type {number} */ alpha,
    /** @type {number} */ width,
  ) {
    this.pen.beginPath();
    for (const [x1, y1, x2, y2] of arcs) {
      const bend = (y2 - y1) / 2;
      this.pen.moveTo(x1, y1);
      this.pen.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
    }
    this.pen.globalAlpha = alpha;
    this.stroke(name, width);
    this.pen.globalAlpha = 1;
  }

  stroke(/** @type {string} */ name, /** @type {number} */ width) {
    this.pen.strokeStyle = this.colour(name);
    this.pen.lineWidth = width;
    this.pen.stroke();
  }

  node(/** @type {any} */ box, /** @type {any} */ look, /** @type {boolean} */ round) {
    this.pen.beginPath();
    this.pen.roundRect(box.x, box.y, box.width, box.height, round ? box.width / 2 : 2);
    this.pen.fillStyle = this.colour(look.fill);
    this.pen.fill();
    if (look.done !== undefined) this.shares(box, look);
    if (box.width > 5) this.stroke("--node-line", 1);
  }

  shares(/** @type {any} */ box, /** @type {any} */ look) {
    const done = box.width * look.done;
    this.pen.fillStyle = this.colour("--done");
    this.pen.fillRect(box.x, box.y, done, box.height);
    this.pen.fillStyle = this.colour("--eligible");
    this.pen.fillRect(box.x + done, box.y, box.width * look.ready, box.height);
  }

  ring(
    /** @type {any} */ box,
    /** @type {number} */ away,
    /** @type {string} */ name,
    /** @type {number} */ width,
    /** @type {boolean} */ round,
  ) {
    this.pen.beginPath();
    const [w, h] = [box.width + 2 * away, box.height + 2 * away];
    this.pen.roundRect(
      box.x - away,
      box.y - away,
      w,
      h,
      round ? Math.min(8 + away, w / 2, h / 2) : 4,
    );
    this.stroke(name, width);
  }

  texts(/** @type {any[]} */ labels) {
    this.pen.fillStyle = this.colour("--text");
    this.pen.font = "11px system-ui, sans-serif";
    this.pen.textAlign = "center";
    this.pen.strokeStyle = this.colour("--paper");
    this.pen.lineWidth = 4;
    for (const { x, y, text } of labels) {
      this.pen.strokeText(text, x, y);
      this.pen.fillText(text, x, y);
    }
  }
}

// Elements, numbers and tables: what every section of the page is made of.
// Text reaches the document as text nodes alone, so no name of a task can be read as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Set attributes and listeners: null and false leave one out, a function listens to its event.
 * @param {Element} made
 * @param {Object<string, any>} attributes
 */
function dress(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * An HTML element; strings among its children become text.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  dress(made, attributes);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/**
 * An SVG element, made as `element` makes one.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  dress(made, attributes);
  made.append(...children);
  return made;
}

let lastNumber = 0;

/** An id that no other element has. @param {string} stem @returns {string} */
export function freshId(stem) {
  lastNumber += 1;
  return `${stem}-${lastNumber}`;
}

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

/** A number for people; the exact one stands beside it in `data-value`. @param {number | null} value */
export function spoken(value) {
  if (value === null || value === undefined) return "not known";
  return Math.abs(value) >= 1000 || Number.isInteger(value)
    ? WHOLE.format(value)
    : SHORT.format(value);
}

/** A count and its word. @param {number} count @param {string} word */
export function counted(count, word) {
  return `${spoken(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** A time in the unit of the report. @param {number | null} value @param {string} unit */
export function timed(value, unit) {
  return value === null || value === undefined ? "not known" : `${spoken(value)} ${unit}`;
}

/** A share as per cent. @param {number | null} value */
export function percent(value) {
  return value === null || value === undefined
    ? "not known"
    : `${SHORT.format(Number((value * 100).toFixed(1)))}%`;
}

/**
 * An estimate with its interval: mean or median, then the bounds.
 * @param {{mean?: number, median?: number, low: number, high: number} | null} found
 * @param {(value: number) => string} [show]
 */
export function interval(found, show = spoken) {
  if (!found) return "not known";
  const middle = found.mean ?? found.median ?? null;
  if (middle === null) return "not known";
  return found.low === null
    ? show(middle)
    : `${show(middle)} [${show(found.low)}, ${show(found.high)}]`;
}

/**
 * A table; a cell is a text, or `[text, exact value]`. The first cell of a row is its heading.
 * @param {string} caption
 * @param {string[]} headings
 * @param {(string | [string, number | null])[][]} rows
 */
export function table(caption, headings, rows) {
  const head = element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text)));
  const body = element("tbody", {}, ...rows.map(tableRow));
  const made = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, head),
    body,
  );
  // A wide table scrolls in a region of its own, which the keyboard can reach.
  return element(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    made,
  );
}

/** @param {(string | [string, number | null])[]} cells */
function tableRow(cells) {
  return element(
    "tr",
    {},
    ...cells.map((cell, column) => {
      const [text, value] = typeof cell === "string" ? [cell, null] : cell;
      if (column === 0) return element("th", { scope: "row", "data-value": value }, text);
      return element("td", { class: value === null ? null : "number", "data-value": value }, text);
    }),
  );
}

/**
 * Details that make their content when they are first opened: tables may be long.
 * @param {string} summary
 * @param {() => Node} make
 */
export function later(summary, make) {
  const made = element("details", {}, element("summary", {}, summary));
  made.addEventListener("toggle", () => made.childElementCount > 1 || made.append(make()));
  return made;
}

/** @param {string} text @param {() => void} click @param {Object<string, any>} [more] */
export function button(text, click, more = {}) {
  return element("button", { type: "button", click, ...more }, text);
}

/**
 * A select with its label.
 * @param {string} label
 * @param {[string, string][]} choices values and texts
 * @param {(value: string) => void} change
 */
export function choice(label, choices, change) {
  const id = freshId("choice");
  const options = choices.map(([value, text]) => element("option", { value }, text));
  const select = element("select", { id, change: () => change(select.value) }, ...options);
  return {
    select,
    made: element("span", { class: "field" }, element("label", { for: id }, label), select),
  };
}

/**
 * A checkbox with its label.
 * @param {(Node | string)[]} label
 * @param {boolean} checked
 * @param {(checked: boolean) => void} change
 */
export function toggle(label, checked, change) {
  const box = element("input", { type: "checkbox", checked, change: () => change(box.checked) });
  return element("label", { class: "toggle" }, box, ...label);
}

/**
 * A range with its label.
 * @param {string} label
 * @param {number} max
 * @param {(value: number) => void} input
 */
export function slider(label, max, input, step = 1) {
  const id = freshId("slider");
  const range = element("input", {
    type: "range",
    id,
    min: 0,
    max,
    step,
    value: 0,
    input: () => input(Number(range.value)),
  });
  return {
    range,
    made: element("div", { class: "slider" }, element("label", { for: id }, label), range),
  };
}

/** Call *draw* with the width of *box* now and whenever it changes. */
export function onWidth(/** @type {Element} */ box, /** @type {(width: number) => void} */ draw) {
  let before = 0;
  new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width > 0 && width !== before) draw((before = width));
  }).observe(box);
}

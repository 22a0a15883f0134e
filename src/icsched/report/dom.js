// Elements, numbers and tables: what every section of the page is made of.
// Text reaches the document as text nodes alone, so no name of a task can be read as markup.

const SVG = "http://www.w3.org/2000/svg";

// As in messages.py: control characters but the newline, line separators, marks of direction.
const HIDDEN = /[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text without characters that could hide a part of a name, or turn it around. @param {string} text */
function visible(text) {
  return text.replace(HIDDEN, (one) => {
    const code = one.charCodeAt(0);
    return code < 256
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** @param {(Node | string | null)[]} children @returns {(Node | string)[]} */
function shown(children) {
  const found = /** @type {(Node | string)[]} */ (children.filter((child) => child !== null));
  return found.map((child) => (typeof child === "string" ? visible(child) : child));
}

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
 * An HTML element; strings among its children become text that shows every character.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  dress(made, attributes);
  made.append(...shown(children));
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
  made.append(...shown(children));
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

/** Numbers near 0 have a power of ten; tasks that take no time are simulated as 1e-100. */
function nearZero(/** @type {number} */ value) {
  return Math.abs(value) < 1e-90 ? "0" : value.toExponential(2);
}

/** A number for people; the exact one stands beside it in `data-value`. @param {number} value */
export function spoken(value) {
  if (Math.abs(value) < 1e-6) return nearZero(value);
  return Math.abs(value) >= 1000 || Number.isInteger(value)
    ? WHOLE.format(value)
    : SHORT.format(value);
}

const BRIEF = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** A measured number with three digits: nobody needs more of a mean. @param {number} value */
function brief(value) {
  if (Math.abs(value) < 1e-6) return nearZero(value);
  return Math.abs(value) >= 100 ? WHOLE.format(value) : BRIEF.format(value);
}

const TENTHS = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** A count that may be a mean over runs. @param {number} value */
export function tenths(value) {
  return TENTHS.format(value);
}

const BYTES = ["B", "kB", "MB", "GB", "TB", "PB"];

/** The unit in which people read a number of bytes: its name, and its size. @param {number} most */
export function unitOfBytes(most) {
  // 999.5 of a unit would be shown as 1,000.
  const power = BYTES.findIndex((_, k) => most < 999.5 * 1000 ** k);
  const last = power < 0 ? BYTES.length - 1 : power;
  return { name: BYTES[last], size: 1000 ** last };
}

/** A number of bytes with three digits, in the unit that people read. @param {number} value */
export function inBytes(value) {
  const { name, size } = unitOfBytes(value);
  return `${brief(value / size)} ${name}`;
}

/** A count and its word. @param {number} count @param {string} word */
export function counted(count, word) {
  return `${spoken(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** A time in the unit of the report. @param {number} value @param {string} unit */
export function timed(value, unit) {
  return `${brief(value)} ${unit}`;
}

/** A share as per cent. @param {number} value */
export function percent(value) {
  return `${SHORT.format(Number((value * 100).toFixed(1)))}%`;
}

/**
 * An estimate with its interval: mean or median, then the bounds.
 * @param {{mean?: number, median?: number, low: number, high: number}} found
 * @param {(value: number) => string} [show] `spoken` or `percent`
 */
export function interval(found, show = spoken) {
  const middle = /** @type {number} */ (found.mean ?? found.median);
  const [first, low, high] = evenly([middle, found.low, found.high], show);
  return `${first} [${low}, ${high}]`;
}

/** Numbers as text with as many decimals as the one that has most: 1.0025 beside 0.9975. */
function evenly(/** @type {number[]} */ values, /** @type {(value: number) => string} */ show) {
  const texts = values.map(show);
  if (texts.some((text) => text.includes("e"))) return texts; // near 0
  const decimals = texts.map((text) => /\.(\d+)/.exec(text)?.[1].length ?? 0);
  const most = Math.max(...decimals);
  const even = new Intl.NumberFormat("en", {
    minimumFractionDigits: most,
    maximumFractionDigits: most,
  });
  const [size, sign] = texts[0].endsWith("%") ? [100, "%"] : [1, ""];
  return values.map((value) => `${even.format(value * size)}${sign}`);
}

/**
 * A table; a cell is a text, or `[text, exact value]`. The first cell of a row is its heading.
 * @param {string} caption
 * @param {string[]} headings
 * @param {(string | [string, number | null])[][]} rows
 * @param {string} [kind] "stacked": on a narrow screen each row is a list of headings and values
 */
export function table(caption, headings, rows, kind = "") {
  const head = element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text)));
  const body = element("tbody", {}, ...rows.map((cells) => tableRow(cells, headings)));
  const made = element(
    "table",
    { class: kind || null },
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

/** @param {(string | [string, number | null])[]} cells @param {string[]} headings */
function tableRow(cells, headings) {
  return element(
    "tr",
    {},
    ...cells.map((cell, column) => {
      const [text, value] = typeof cell === "string" ? [cell, null] : cell;
      if (column === 0) return element("th", { scope: "row", "data-value": value }, text);
      const looks = { class: value === null ? null : "number", "data-heading": headings[column] };
      return element("td", { ...looks, "data-value": value }, text);
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

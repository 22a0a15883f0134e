// Straight scales from values to pixels, and ticks at round values.

/**
 * @typedef {{low: number, high: number, from: number, to: number}} Scale
 * Values low to high lie at pixels from to.
 */

/** The pixel of a value. @param {Scale} scale @param {number} value */
export function at(scale, value) {
  const span = scale.high - scale.low || 1;
  return scale.from + ((value - scale.low) / span) * (scale.to - scale.from);
}

/** The value at a pixel. @param {Scale} scale @param {number} pixel */
export function valueAt(scale, pixel) {
  return (
    scale.low + ((pixel - scale.from) / (scale.to - scale.from || 1)) * (scale.high - scale.low)
  );
}

/**
 * Round values from low to high, about *count* of them: 1, 2 or 5 times a power of ten apart.
 * If both ends are whole, so are all values: nothing is half a step.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 * @returns {number[]}
 */
export function ticks(low, high, count) {
  const rough = (high - low || 1) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const round =
    [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999) ?? rough;
  const step = Number.isInteger(low) && Number.isInteger(high) ? Math.max(1, round) : round;
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-9); k += 1)
    found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** The largest value of many lists, or *least*: spreading long lists would overflow the stack. */
export function largest(/** @type {number[][]} */ lists, least = 0) {
  return lists.reduce((most, list) => list.reduce((a, b) => Math.max(a, b), most), least);
}

/** The place of the last entry of sorted *list* that is at most *value*, or -1. */
export function lastAtMost(/** @type {number[]} */ list, /** @type {number} */ value) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

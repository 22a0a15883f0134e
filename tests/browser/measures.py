"""What a page looks like, measured in the browser: contrast, overlap, names, drawn lines."""

import itertools
import re

TEXTS = """
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const holder = node.parentElement;
  if (!node.textContent.trim() || holder.closest("script, style, noscript, option")) continue;
  if (!holder.checkVisibility({checkVisibilityCSS: true})) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const isDrawn = holder instanceof SVGElement;
  const style = getComputedStyle(holder);
  let under = holder;
  const isClear = (one) => getComputedStyle(one).backgroundColor === "rgba(0, 0, 0, 0)";
  while (under && isClear(under)) under = under.parentElement;
  const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
  if (boxes.length === 0) continue;
  found.push({
    text: node.textContent.trim().slice(0, 40),
    colour: isDrawn ? style.fill : style.color,
    under: under ? getComputedStyle(under).backgroundColor : "rgb(255, 255, 255)",
    boxes: boxes.map((box) => [box.left, box.top, box.right, box.bottom]),
    isTurned: isDrawn && holder.hasAttribute("transform"),
  });
}
return found;
"""

STROKES = """
return [...document.querySelectorAll(arguments[0])].map((line) => {
  let under = line;
  const isClear = (one) => getComputedStyle(one).backgroundColor === "rgba(0, 0, 0, 0)";
  while (under && isClear(under)) under = under.parentElement;
  return {name: line.getAttribute("class"), colour: getComputedStyle(line).stroke,
          dashes: getComputedStyle(line).strokeDasharray,
          under: getComputedStyle(under).backgroundColor};
});
"""

LINES = """
const figure = document.querySelector(`[data-chart="${arguments[0]}"]`);
const ticks = (axis, key) => [...figure.querySelectorAll(`text[data-axis="${axis}"]`)]
  .map((one) => [one.textContent, Number(one.getAttribute(key))]);
return {
  x: ticks("x", "x"), y: ticks("y", "y"),
  paths: Object.fromEntries([...figure.querySelectorAll("path[data-order]")]
    .map((path) => [path.dataset.order, path.getAttribute("d")])),
};
"""


def contrast(one: str, other: str) -> float:
    """The contrast of two CSS colours, as the WCAG defines it."""
    low, high = sorted([_luminance(one), _luminance(other)])
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    shares = zip((0.2126, 0.7152, 0.0722), (red, green, blue), strict=True)
    return sum(
        share * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for share, c in shares
    )


def overlaps(texts: list[dict]) -> list[tuple[str, str]]:
    """Pairs of texts that cover each other by more than two pixels both ways."""
    boxes = sorted(
        (box[0], index, box) for index, text in enumerate(texts) for box in text["boxes"]
    )
    found = []
    for (_, one, first), (_, other, second) in itertools.combinations(boxes, 2):
        if second[0] > first[2] - 2 or one == other:
            continue
        if min(first[3], second[3]) - max(first[1], second[1]) > 2 and second[2] - second[0] > 2:
            found.append((texts[one]["text"], texts[other]["text"]))
    return found


def drawn_lines(browser, chart: str) -> dict[str, list[tuple[float, float]]]:
    """The points of each line of *chart*, read by its axes as a reader does."""
    found = browser.run(LINES, chart)
    across, up = _reader(found["x"]), _reader(found["y"])
    return {
        name: [(across(x), up(y)) for x, y in _points(path)]
        for name, path in found["paths"].items()
    }


def _points(path: str) -> list[tuple[float, float]]:
    return [tuple(map(float, point.split())) for point in path[1:].split("L")]


def _reader(ticks: list[tuple[str, float]]):
    """From pixels to values, by the first and the last label of an axis."""
    (first, low), (last, high) = [
        (float(text.replace(",", "")), at) for text, at in (ticks[0], ticks[-1])
    ]
    return lambda pixel: first + (pixel - low) / (high - low) * (last - first)

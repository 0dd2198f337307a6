// Curves: one plot with axes, bands, lines and dots, as a drawing that follows the theme.

import { svg } from "./dom";
import { extent } from "./field";
import { format, roomForName, ticks } from "./numbers";

export interface Curve {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  /** A class of the style sheet: `forecast`, `truth`, `bound`. */
  name: string;
}

export interface Plot {
  width: number;
  height: number;
  label: string;
  xName: string;
  xRange: [number, number];
  /** The least range of values to show. */
  yRange: [number, number];
  curves: Curve[];
  bands?: { x: ArrayLike<number>; lower: ArrayLike<number>; upper: ArrayLike<number> }[];
  /** Room to the right, such as that of the legend of a picture below. */
  right?: number;
  /** An upright line. */
  mark?: number;
  dots?: { x: number; y: number; name: string; fill: string; id: number; radius: number }[];
}

/** From pixels of a plot to its values and back. */
export interface PlotScale {
  x(pixel: number): number;
  y(pixel: number): number;
}

const EDGES = { left: 40, right: 12, top: 8, bottom: 22 };

export function drawPlot(plot: Plot): { drawing: SVGElement; scale: PlotScale } {
  const { width, height, xRange } = plot;
  const edges = { ...EDGES, right: plot.right ?? EDGES.right };
  const values = [...plot.curves.map(({ y }) => y), ...(plot.bands ?? []).flatMap(({ lower, upper }) => [lower, upper]), (plot.dots ?? []).map(({ y }) => y), plot.yRange];
  const [low, high] = extent(values.filter(({ length }) => length > 0).flatMap((list) => extent(list)));
  const margin = 0.06 * (high - low || 1);
  const [y0, y1] = [low - margin, high + margin];
  const inner = { width: width - edges.left - edges.right, height: height - edges.top - edges.bottom };
  const px = (x: number) => edges.left + ((x - xRange[0]) / (xRange[1] - xRange[0])) * inner.width;
  const py = (y: number) => edges.top + (1 - (y - y0) / (y1 - y0)) * inner.height;
  const path = (x: ArrayLike<number>, y: ArrayLike<number>) => Array.from(x, (at, k) => `${k ? "L" : "M"}${px(at).toFixed(1)} ${py(y[k]).toFixed(1)}`).join("");

  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": plot.label, class: "plot" });
  for (const { at, text } of ticks(y0, y1, inner.height / 42)) {
    drawing.append(svg("line", { class: "grid", x1: edges.left, x2: width - edges.right, y1: py(at), y2: py(at) }));
    drawing.append(svg("text", { class: "tick", x: edges.left - 6, y: py(at) + 3.5, "text-anchor": "end" }, text));
  }
  const along = ticks(xRange[0], xRange[1], inner.width / 70);
  for (const { at, text } of along) {
    drawing.append(svg("text", { class: "tick", x: px(at), y: height - 6, "text-anchor": "middle" }, text));
  }
  drawing.append(svg("text", { class: "tick axis", x: px(roomForName(along, ...xRange)), y: height - 6, "text-anchor": "middle" }, plot.xName));
  for (const { x, lower, upper } of plot.bands ?? []) {
    const back = Array.from(x, (at, k) => `L${px(at).toFixed(1)} ${py(lower[k]).toFixed(1)}`).reverse().join("");
    drawing.append(svg("path", { class: "band", d: `${path(x, upper)}${back}Z` }));
  }
  if (plot.mark !== undefined) drawing.append(svg("line", { class: "mark", x1: px(plot.mark), x2: px(plot.mark), y1: edges.top, y2: height - edges.bottom }));
  for (const { x, y, name } of plot.curves) drawing.append(svg("path", { class: `curve ${name}`, d: path(x, y) }));
  for (const dot of plot.dots ?? []) {
    const circle = svg("circle", { class: `dot ${dot.name}`, cx: px(dot.x), cy: py(dot.y), r: dot.radius, "data-id": dot.id });
    circle.setAttribute("fill", dot.fill);
    circle.append(svg("title", {}, `${plot.xName} ${format(dot.x)}: ${format(dot.y)}`));
    drawing.append(circle);
  }
  return {
    drawing,
    scale: {
      x: (pixel) => xRange[0] + ((pixel - edges.left) / inner.width) * (xRange[1] - xRange[0]),
      y: (pixel) => y0 + (1 - (pixel - edges.top) / inner.height) * (y1 - y0),
    },
  };
}

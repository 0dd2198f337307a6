// Color maps of even perceptual steps: a curve through a few colors in OKLab, run through at constant speed.

export type Rgb = [number, number, number];
type Lab = [number, number, number];

const STEPS = 256;

/** The knots of each map, dark to light; those of the diverging map from cold to warm. */
const KNOTS = {
  lagoon: ["#2a0a4a", "#3b4a8c", "#24848c", "#4cb86a", "#f7e84a"],
  ember: ["#180f2e", "#5b1a6b", "#b5365f", "#ee7b3b", "#fbe7a1"],
  slate: ["#15191f", "#f4f6f8"],
  polar: ["#12356f", "#3d7fc0", "#a8cde6", "#f5f4f2", "#f3bfa4", "#cf5a4a", "#7a1030"],
} as const;

export type MapName = keyof typeof KNOTS;

/** Maps for fields that are not signed, with the names that people see. */
export const SEQUENTIAL: { name: MapName; title: string }[] = [
  { name: "lagoon", title: "Lagoon" },
  { name: "ember", title: "Ember" },
  { name: "slate", title: "Gray" },
];

const tables = new Map<MapName, Rgb[]>();

/** The colors of a map, from its lower to its upper end. */
export function colors(name: MapName): Rgb[] {
  let table = tables.get(name);
  if (!table) {
    table = even(KNOTS[name].map((knot) => toLab(parse(knot)))).map(toRgb);
    tables.set(name, table);
  }
  return table;
}

/** A color map over a range of values. */
export interface Scale {
  map: MapName;
  lower: number;
  upper: number;
}

/**
 * The scale of a range of values. With a substantial part on both sides of zero it is symmetric and diverging, as in
 * the pictures that `lto` draws.
 */
export function scaleOf(range: [number, number], map: MapName): Scale {
  let [lower, upper] = range;
  const reach = Math.max(Math.abs(lower), Math.abs(upper));
  const signed = map === "polar" || (lower < -0.15 * reach && upper > 0.15 * reach);
  if (signed) [lower, upper] = [-reach, reach];
  if (upper - lower <= 1e-9 * reach || upper === lower) {
    const margin = reach > 0 ? 0.5 * reach : 0.5;
    [lower, upper] = [lower - margin, upper + margin];
  }
  return { map: signed ? "polar" : map, lower, upper };
}

/** The color of a value. */
export function colorOf(scale: Scale, value: number): Rgb {
  const share = (value - scale.lower) / (scale.upper - scale.lower);
  return colors(scale.map)[Math.min(Math.max(Math.round(share * (STEPS - 1)), 0), STEPS - 1)];
}

export function css([r, g, b]: Rgb, alpha = 1): string {
  return alpha === 1 ? `rgb(${r} ${g} ${b})` : `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** Points at equal distances along a smooth curve through the knots. */
function even(knots: Lab[]): Lab[] {
  const fine = 4096;
  const curve = Array.from({ length: fine + 1 }, (_, k) => along(knots, k / fine));
  const length = [0];
  for (let k = 1; k <= fine; k++) length.push(length[k - 1] + distance(curve[k - 1], curve[k]));
  let at = 0;
  return Array.from({ length: STEPS }, (_, step) => {
    const wanted = (length[fine] * step) / (STEPS - 1);
    while (at < fine && length[at + 1] < wanted) at++;
    return curve[Math.min(at, fine)];
  });
}

/** A monotone cubic through the knots: no coordinate overshoots, so lightness never turns back between knots. */
function along(knots: Lab[], share: number): Lab {
  const last = knots.length - 1;
  const k = Math.min(Math.floor(share * last), last - 1);
  const u = share * last - k;
  return [0, 1, 2].map((c) => {
    const value = (i: number) => knots[Math.min(Math.max(i, 0), last)][c];
    const slope = (i: number) => {
      const [before, after] = [value(i) - value(i - 1), value(i + 1) - value(i)];
      if (i <= 0) return after;
      if (i >= last) return before;
      return before * after > 0 ? (2 * before * after) / (before + after) : 0;
    };
    const [h1, h2] = [u * u * (3 - 2 * u), u * (1 - u)];
    return value(k) + h1 * (value(k + 1) - value(k)) + h2 * ((1 - u) * slope(k) - u * slope(k + 1));
  }) as Lab;
}

function distance(a: Lab, b: Lab): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function parse(text: string): Rgb {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as Rgb;
}

export function toLab(rgb: Rgb): Lab {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toRgb([L, a, b]: Lab): Rgb {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((v) => {
    const coded = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(Math.max(coded, 0), 1));
  }) as Rgb;
}

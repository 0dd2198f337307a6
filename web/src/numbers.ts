// Numbers as people read them, and round numbers along an axis.

/** A number with some significant digits, as short as possible. */
export function format(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  const text = value.toPrecision(digits);
  const plain = text.includes("e") ? String(Number(text)) : text;
  return (plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain).replace("-", "−");
}

/** A share as a percentage. */
export function percent(share: number): string {
  return `${format(100 * share, 2)} %`;
}

/** About `count` round numbers within a range, with the digits that tell them apart. */
export function ticks(lower: number, upper: number, count: number): { at: number; text: string }[] {
  const raw = (upper - lower) / Math.max(count, 1);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999) ?? 10 * power;
  const list = [];
  for (let k = Math.ceil(lower / step - 1e-9); k * step <= upper + 1e-9 * step; k++) list.push(k * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const size = Math.max(Math.abs(lower), Math.abs(upper));
  const text = (x: number) =>
    size < 1e-3 || size >= 1e5 ? format(Math.abs(x) < step / 2 ? 0 : x, 3) : x.toFixed(digits).replace(/^-(0(\.0+)?)$/, "$1").replace("-", "−");
  return list.map((at) => ({ at, text: text(at) }));
}

/** Where the name of an axis fits: between its last two marks. */
export function roomForName(marks: { at: number }[], lower: number, upper: number): number {
  const last = marks.length - 1;
  return last >= 1 ? (marks[last - 1].at + marks[last].at) / 2 : (lower + upper) / 2;
}

/** Equally many numbers from first to last, both included. */
export function between(first: number, last: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => (k === count - 1 ? last : first + ((last - first) * k) / (count - 1)));
}

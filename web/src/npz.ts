// NumPy arrays in a zip file without compression.

export interface NamedArray {
  name: string;
  shape: number[];
  values: ArrayLike<number> | string[];
}

/** The bytes of an .npz file. Numbers are doubles, texts have fixed width. */
export function npz(arrays: NamedArray[]): Uint8Array<ArrayBuffer> {
  const files = arrays.map(({ name, shape, values }) => ({ name: `${name}.npy`, bytes: npy(shape, values) }));
  return zip(files);
}

/** The bytes of an .npy file: a header padded to 64 bytes, then the values, little-endian, last axis fastest. */
export function npy(shape: number[], values: ArrayLike<number> | string[]): Uint8Array {
  const texts = Array.isArray(values) && typeof values[0] === "string" ? (values as string[]) : null;
  const width = texts ? Math.max(1, ...texts.map((text) => [...text].length)) : 2;
  const type = texts ? `<U${width}` : "<f8";
  const tuple = `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  const start = `{'descr': '${type}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const padding = (64 - ((10 + start.length + 1) % 64)) % 64;
  const header = `${start}${" ".repeat(padding)}\n`;
  const bytes = new Uint8Array(10 + header.length + 4 * width * values.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  view.setUint16(8, header.length, true);
  bytes.set(new TextEncoder().encode(header), 10);
  const body = 10 + header.length;
  if (texts) texts.forEach((text, k) => [...text].forEach((letter, i) => view.setUint32(body + 4 * (k * width + i), letter.codePointAt(0)!, true)));
  else for (let k = 0; k < values.length; k++) view.setFloat64(body + 8 * k, (values as ArrayLike<number>)[k], true);
  return bytes;
}

/** A zip file of stored files, dated 1980. */
function zip(files: { name: string; bytes: Uint8Array }[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const label = new TextEncoder().encode(name);
    // Version, flags, method, time, date; checksum, sizes, length of the name, no extra field.
    const common = numbers([20, 2], [0, 2], [0, 2], [0, 2], [33, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [label.length, 2], [0, 2]);
    const local = [numbers([0x04034b50, 4]), common, label, bytes];
    directory.push(numbers([0x02014b50, 4], [20, 2]), common, numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), label);
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]);
  return joined([...parts, ...directory, end]);
}

function numbers(...pairs: [value: number, bytes: number][]): Uint8Array {
  return Uint8Array.from(pairs.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, k) => (value >>> (8 * k)) & 255)));
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// VTK image data, as `lto predict` writes it: values appended in base64, the first axis fastest.

import { spacing, type Field } from "./field";

/** The document of fields on one lattice; `axes` of its two axes are real, the others have one point. */
export function vti(fields: { name: string; field: Field }[], axes: number, time: number | null): string {
  const { lattice } = fields[0].field;
  const size = [0, 1, 2].map((d) => (d < axes ? lattice.size[d] : 1));
  const triple = (of: (d: number) => number, otherwise: number) => [0, 1, 2].map((d) => (d < axes ? of(d) : otherwise)).join(" ");
  const extent = size.map((n) => `0 ${n - 1}`).join(" ");
  let appended = "_";
  const arrays = fields.map(({ name, field }) => {
    const array = `<DataArray type="Float64" Name="${escape(name)}" format="appended" offset="${appended.length - 1}"/>`;
    appended += base64(doubles(field, size[0], size[1]));
    return array;
  });
  const when = time === null ? "" : `<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">${time}</DataArray></FieldData>\n`;
  return [
    `<?xml version="1.0"?>`,
    `<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">`,
    `<ImageData WholeExtent="${extent}" Origin="${triple((d) => lattice.lower[d], 0)}" Spacing="${triple((d) => spacing(lattice, d), 1)}" Direction="1 0 0 0 1 0 0 0 1">`,
    `${when}<Piece Extent="${extent}">\n<PointData Scalars="${escape(fields[0].name)}">`,
    ...arrays,
    `</PointData>\n</Piece>\n</ImageData>\n<AppendedData encoding="base64">\n${appended}\n</AppendedData>\n</VTKFile>\n`,
  ].join("\n");
}

/** The length in bytes, then the values with axis 0 fastest. */
function doubles({ values, lattice }: Field, nx: number, ny: number): Uint8Array {
  const bytes = new Uint8Array(8 + 8 * nx * ny);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(8 * nx * ny), true);
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) view.setFloat64(8 + 8 * (j * nx + i), values[i * lattice.size[1] + j], true);
  }
  return bytes;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let k = 0; k < bytes.length; k += 32768) text += String.fromCharCode(...bytes.subarray(k, k + 32768));
  return btoa(text);
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

/** Points of the tone curve; between them readers interpolate. */
const CURVE_POINTS = 256;
const HEADER_BYTES = 128;

/** Primaries of sRGB, adapted to D50 (IEC 61966-2-1, ICC.1:2001-04), in columns X, Y, Z. */
const PRIMARIES = {
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
} as const;
const D50 = [0.9642, 1, 0.82491] as const;

/** sRGB as a matrix profile of ICC version 2. Made here: a file would need a license of its own. */
export function srgbProfile(): Uint8Array {
  const curve = curveTag();
  const tags: readonly (readonly [string, Uint8Array])[] = [
    ["desc", descriptionTag("sRGB")],
    ["cprt", textTag("No copyright")],
    ["wtpt", xyzTag(D50)],
    ...Object.entries(PRIMARIES).map(([name, xyz]) => [name, xyzTag(xyz)] as const),
    ["rTRC", curve],
    ["gTRC", curve],
    ["bTRC", curve],
  ];
  const places = new Map<Uint8Array, number>();
  let end = HEADER_BYTES + 4 + 12 * tags.length;
  for (const [, body] of tags) {
    if (!places.has(body)) {
      places.set(body, end);
      end += (body.length + 3) & ~3;
    }
  }
  const bytes = new Uint8Array(end);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, end);
  view.setUint32(8, 0x02_10_00_00);
  putAscii(bytes, 12, "mntrRGB XYZ ");
  // 1 January 2026: a profile needs a date, and equal documents need equal bytes.
  view.setUint16(24, 2026);
  view.setUint16(26, 1);
  view.setUint16(28, 1);
  putAscii(bytes, 36, "acsp");
  for (const [i, value] of D50.entries()) {
    view.setInt32(68 + i * 4, fixed(value));
  }
  view.setUint32(HEADER_BYTES, tags.length);
  for (const [i, [name, body]] of tags.entries()) {
    const at = HEADER_BYTES + 4 + i * 12;
    const place = places.get(body) ?? 0;
    putAscii(bytes, at, name);
    view.setUint32(at + 4, place);
    view.setUint32(at + 8, body.length);
    bytes.set(body, place);
  }
  return bytes;
}

function fixed(value: number): number {
  return Math.round(value * 65_536);
}

function putAscii(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) {
    bytes[at + i] = text.charCodeAt(i);
  }
}

function tag(type: string, length: number): { bytes: Uint8Array; view: DataView } {
  const bytes = new Uint8Array(length);
  putAscii(bytes, 0, type);
  return { bytes, view: new DataView(bytes.buffer) };
}

function xyzTag(xyz: readonly number[]): Uint8Array {
  const { bytes, view } = tag("XYZ ", 20);
  for (const [i, value] of xyz.entries()) {
    view.setInt32(8 + i * 4, fixed(value));
  }
  return bytes;
}

function curveTag(): Uint8Array {
  const { bytes, view } = tag("curv", 12 + 2 * CURVE_POINTS);
  view.setUint32(8, CURVE_POINTS);
  for (let i = 0; i < CURVE_POINTS; i++) {
    const value = i / (CURVE_POINTS - 1);
    const linear = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    view.setUint16(12 + i * 2, Math.round(linear * 65_535));
  }
  return bytes;
}

function textTag(text: string): Uint8Array {
  const { bytes } = tag("text", 9 + text.length);
  putAscii(bytes, 8, text);
  return bytes;
}

/** `textDescriptionType`: ASCII, and no Unicode and no Macintosh text. */
function descriptionTag(text: string): Uint8Array {
  const { bytes, view } = tag("desc", 12 + text.length + 1 + 8 + 3 + 67);
  view.setUint32(8, text.length + 1);
  putAscii(bytes, 12, text);
  return bytes;
}

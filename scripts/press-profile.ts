/**
 * Makes small ICC profiles of an imaginary press, so that PDF/X-4 can be tried and tested without a profile of somebody
 * else. They are valid version 2 profiles of class `prtr` with tables in both directions; no real press prints like them.
 */

export type PressSpace = "CMYK" | "RGB " | "GRAY";

/** Entries of a table of one channel. */
const CURVE_ENTRIES = 256;
/** Grid points of each channel, from inks to Lab and back. */
const INK_GRID = 5;
const LAB_GRID = 9;
const WHITE = [0.9642, 1, 0.8249] as const;

/** Lab of the paper and of solid inks one over the other, by the bits of C, M and Y. */
const SOLIDS: readonly (readonly [number, number, number])[] = [
  [95, 0, -2],
  [55, -37, -50],
  [48, 74, -3],
  [24, 17, -46],
  [89, -5, 93],
  [50, -68, 25],
  [47, 68, 48],
  [23, 0, 0],
];
/** Share of the light that black ink lets through. */
const BLACK_LETS_THROUGH = 0.025;

type Triple = readonly [number, number, number];

/** Equal arguments give equal bytes. */
export function pressProfile(space: PressSpace = "CMYK"): Uint8Array {
  const tags: [string, Uint8Array][] = [
    ["desc", description(`Edgeloom trial ${space.trim()} press`)],
    ["cprt", withSignature("text", latin("No rights reserved\0"))],
    ["wtpt", withSignature("XYZ ", ...WHITE.map(fixed))],
  ];
  if (space === "GRAY") {
    // One entry: a gamma of 2.2 as u8Fixed8.
    tags.push(["kTRC", withSignature("curv", number(1, 4), number(Math.round(2.2 * 256), 2))]);
  } else {
    const toLab = space === "CMYK" ? inksToLab() : rgbToLab();
    const fromLab = space === "CMYK" ? labToInks() : labToRgb();
    tags.push(["gamt", table(3, 1, 2, () => [0])]);
    for (const intent of ["0", "1", "2"]) {
      tags.push([`A2B${intent}`, toLab], [`B2A${intent}`, fromLab]);
    }
  }
  return profileOf(space, tags);
}

function profileOf(
  space: PressSpace,
  tags: readonly (readonly [string, Uint8Array])[],
): Uint8Array {
  const at = new Map<Uint8Array, number>();
  let end = 132 + 12 * tags.length;
  for (const [, data] of tags) {
    if (!at.has(data)) {
      at.set(data, end);
      end += Math.ceil(data.length / 4) * 4;
    }
  }
  const profile = new Uint8Array(end);
  const put = (offset: number, ...pieces: Uint8Array[]) => {
    profile.set(joined(pieces), offset);
  };
  put(0, number(end, 4), new Uint8Array(4), number(0x02_40_00_00, 4));
  put(12, latin(`prtr${space}Lab `));
  // 1 January 2026.
  put(24, ...[2026, 1, 1, 0, 0, 0].map((part) => number(part, 2)));
  put(36, latin("acsp"));
  put(68, ...WHITE.map(fixed));
  put(128, number(tags.length, 4));
  for (const [index, [name, data]] of tags.entries()) {
    put(132 + 12 * index, latin(name), number(at.get(data) ?? 0, 4), number(data.length, 4));
  }
  for (const [data, offset] of at) {
    put(offset, data);
  }
  return profile;
}

function inksToLab(): Uint8Array {
  const solids = SOLIDS.map(xyzOf);
  return table(4, 3, INK_GRID, ([c = 0, m = 0, y = 0, k = 0]) => {
    const xyz: [number, number, number] = [0, 0, 0];
    for (const [bits, solid] of solids.entries()) {
      const share =
        ((bits & 1) === 0 ? 1 - c : c) *
        ((bits & 2) === 0 ? 1 - m : m) *
        ((bits & 4) === 0 ? 1 - y : y) *
        (1 - k + k * BLACK_LETS_THROUGH);
      for (const axis of [0, 1, 2] as const) {
        xyz[axis] += share * solid[axis];
      }
    }
    return encodedLab(labOf(xyz));
  });
}

/** Equal shares of the three colored inks are printed as black. */
function labToInks(): Uint8Array {
  return table(3, 4, LAB_GRID, (coded) => {
    const inks = rgbOf(xyzOf(decodedLab(coded))).map((light) => 1 - light);
    const black = Math.min(...inks) ** 2;
    return [...inks.map((ink) => (black === 1 ? 0 : (ink - black) / (1 - black))), black];
  });
}

function rgbToLab(): Uint8Array {
  return table(3, 3, INK_GRID, ([r = 0, g = 0, b = 0]) => encodedLab(labOf(xyzOfRgb([r, g, b]))));
}

function labToRgb(): Uint8Array {
  return table(3, 3, LAB_GRID, (coded) => rgbOf(xyzOf(decodedLab(coded))));
}

/** A `lut8Type` with plain curves. `value` has and returns numbers from 0 to 1. */
function table(
  inputs: number,
  outputs: number,
  grid: number,
  value: (given: readonly number[]) => readonly number[],
): Uint8Array {
  const curve = Uint8Array.from({ length: CURVE_ENTRIES }, (_, i) => i);
  const points: number[] = [];
  for (let point = 0; point < grid ** inputs; point++) {
    // The first channel varies least rapidly.
    const given = Array.from(
      { length: inputs },
      (_, i) => (Math.floor(point / grid ** (inputs - 1 - i)) % grid) / (grid - 1),
    );
    points.push(...value(given).map((part) => Math.round(255 * Math.min(1, Math.max(0, part)))));
  }
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].map(fixed);
  return withSignature(
    "mft1",
    Uint8Array.of(inputs, outputs, grid, 0),
    ...identity,
    ...Array.from({ length: inputs }, () => curve),
    Uint8Array.from(points),
    ...Array.from({ length: outputs }, () => curve),
  );
}

function description(text: string): Uint8Array {
  // Neither a Unicode nor a Macintosh form.
  return withSignature("desc", number(text.length + 1, 4), latin(`${text}\0`), new Uint8Array(78));
}

function withSignature(signature: string, ...pieces: readonly Uint8Array[]): Uint8Array {
  return joined([latin(signature), new Uint8Array(4), ...pieces]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function number(value: number, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => (value >>> (8 * (bytes - 1 - i))) & 0xff);
}

/** As s15Fixed16. */
function fixed(value: number): Uint8Array {
  return number(Math.round(value * 65_536), 4);
}

function encodedLab([l, a, b]: Triple): Triple {
  return [l / 100, (a + 128) / 255, (b + 128) / 255];
}

function decodedLab([l = 0, a = 0, b = 0]: readonly number[]): Triple {
  return [l * 100, a * 255 - 128, b * 255 - 128];
}

/** CIE 1976, relative to D50. */
function labOf([x, y, z]: Triple): Triple {
  const f = (t: number) => (t > 216 / 24_389 ? Math.cbrt(t) : (24_389 * t) / 27 / 116 + 16 / 116);
  const [fx, fy, fz] = [f(x / WHITE[0]), f(y), f(z / WHITE[2])];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

function xyzOf([l, a, b]: Triple): Triple {
  const back = (t: number) => (t > 6 / 29 ? t ** 3 : (116 * t - 16) / (24_389 / 27));
  const fy = (l + 16) / 116;
  return [WHITE[0] * back(fy + a / 500), back(fy), WHITE[2] * back(fy - b / 200)];
}

function mapTriple([a, b, c]: Triple, map: (part: number) => number): Triple {
  return [map(a), map(b), map(c)];
}

/** With the primaries of sRGB adapted to D50, and a gamma of 2.2. */
function xyzOfRgb(rgb: Triple): Triple {
  const [r, g, b] = mapTriple(rgb, (part) => part ** 2.2);
  return [
    0.4361 * r + 0.3851 * g + 0.1431 * b,
    0.2225 * r + 0.7169 * g + 0.0606 * b,
    0.0139 * r + 0.0971 * g + 0.7141 * b,
  ];
}

function rgbOf([x, y, z]: Triple): Triple {
  const linear: Triple = [
    3.1339 * x - 1.6169 * y - 0.4906 * z,
    -0.9788 * x + 1.9161 * y + 0.0335 * z,
    0.0719 * x - 0.229 * y + 1.4052 * z,
  ];
  return mapTriple(linear, (part) => Math.min(1, Math.max(0, part)) ** (1 / 2.2));
}

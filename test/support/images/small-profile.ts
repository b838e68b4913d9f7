/** Small ICC profiles, made for tests, and JPEGs that carry them. */

const u16 = (value: number) => [(value >> 8) & 255, value & 255];
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value & 0xffff)];
const ascii = (text: string) => [...Buffer.from(text, "latin1")];

/** A curve that is a power. */
export const gammaCurve = (gamma: number) => [
  ...ascii("curv"),
  ...u32(0),
  ...u32(1),
  ...u16(gamma * 256),
  0,
  0,
];

interface SmallProfile {
  readonly version: 2 | 4;
  readonly space: "GRAY" | "RGB " | "CMYK";
  readonly connection: "Lab " | "XYZ ";
  readonly tags: Readonly<Record<string, readonly number[]>>;
}

export function smallProfile({ version, space, connection, tags }: SmallProfile): Uint8Array {
  const names = Object.keys(tags);
  const white = [...ascii("XYZ "), ...u32(0), ...u32(63_190), ...u32(65_536), ...u32(54_061)];
  const all = { ...tags, wtpt: white };
  let at = 128 + 4 + 12 * (names.length + 1);
  const list: number[] = [];
  const bodies: number[] = [];
  for (const [name, tag] of Object.entries(all)) {
    list.push(...ascii(name), ...u32(at), ...u32(tag.length));
    const padded = [...tag, ...Array.from({ length: -tag.length & 3 }, () => 0)];
    bodies.push(...padded);
    at += padded.length;
  }
  const bytes = new Uint8Array(at);
  bytes.set(u32(at));
  bytes.set([version, 0x20], 8);
  bytes.set(ascii(`${space === "CMYK" ? "prtr" : "mntr"}${space}${connection}`), 12);
  bytes.set(u16(2026), 24);
  bytes.set([0, 1, 0, 1], 26);
  bytes.set(ascii("acsp"), 36);
  bytes.set([...u32(63_190), ...u32(65_536), ...u32(54_061)], 68);
  bytes.set([...u32(names.length + 1), ...list, ...bodies], 128);
  return bytes;
}

/** A number for each output at each point of a grid with `side` points for each input, the last counting fastest. */
export function gridValues(
  inputs: number,
  side: number,
  colorOf: (device: readonly number[]) => readonly number[],
): number[] {
  return Array.from({ length: side ** inputs }, (_, point) =>
    colorOf(
      Array.from(
        { length: inputs },
        (__, i) => (Math.floor(point / side ** (inputs - 1 - i)) % side) / (side - 1),
      ),
    ),
  ).flat();
}

/** A table of 8 bits (`lut8Type`), with straight curves; `values` are 0 to 1. */
export function table8(inputs: number, side: number, values: readonly number[]): number[] {
  const straight = (count: number) => Array.from({ length: count * 256 }, (_, i) => i & 255);
  const one = u32(65_536);
  const zero = u32(0);
  const matrix = [...one, ...zero, ...zero, ...zero, ...one, ...zero, ...zero, ...zero, ...one];
  return [
    ...ascii("mft1"),
    ...u32(0),
    inputs,
    3,
    side,
    0,
    ...matrix,
    ...straight(inputs),
    ...values.map((value) => Math.round(value * 255)),
    ...straight(3),
  ];
}

/** A table of stages (`lutAToBType`) of 16 bits: A curves of a power, the grid, straight M curves, a matrix, B curves. */
export function stagedTable(
  inputs: number,
  side: number,
  gamma: number,
  values: readonly number[],
): number[] {
  const curve = gammaCurve(gamma);
  const straight = [...ascii("curv"), ...u32(0), ...u32(0)];
  const b = [...straight, ...straight, ...straight];
  const one = u32(65_536);
  const zero = u32(0);
  const matrix = [
    ...one,
    ...zero,
    ...zero,
    ...zero,
    ...one,
    ...zero,
    ...zero,
    ...zero,
    ...one,
    ...zero,
    ...u32(1_311),
    ...u32(-1_311 >>> 0),
  ];
  const grid: number[] = [
    ...Array.from({ length: 16 }, (_, i) => (i < inputs ? side : 0)),
    2,
    0,
    0,
    0,
    ...values.flatMap((value) => u16(Math.round(value * 65_535))),
  ];
  grid.push(...Array.from({ length: -grid.length & 3 }, () => 0));
  const a = Array.from({ length: inputs }, () => curve).flat();
  const atB = 32;
  const atMatrix = atB + b.length;
  const atM = atMatrix + matrix.length;
  const atGrid = atM + b.length;
  const atA = atGrid + grid.length;
  return [
    ...ascii("mAB "),
    ...u32(0),
    inputs,
    3,
    0,
    0,
    ...[atB, atMatrix, atM, atGrid, atA].flatMap(u32),
    ...b,
    ...matrix,
    ...b,
    ...grid,
    ...a,
  ];
}

/** The JPEG with the profile, in pieces of at most so many bytes, and without one of its own. */
export function withProfile(file: Uint8Array, profile: Uint8Array, pieceBytes = 65_000) {
  const count = Math.ceil(profile.length / pieceBytes);
  const pieces = Array.from({ length: count }, (_, i) => {
    const piece = profile.subarray(i * pieceBytes, (i + 1) * pieceBytes);
    const head = [...ascii("ICC_PROFILE\0"), i + 1, count];
    return [0xff, 0xe2, ...u16(2 + head.length + piece.length), ...head, ...piece];
  });
  // The order of pieces in the file is free.
  return Uint8Array.from([...file.subarray(0, 2), ...pieces.reverse().flat(), ...file.subarray(2)]);
}

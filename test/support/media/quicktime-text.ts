/** Reads the track of subtitles of a movie by the QuickTime File Format and 3GPP TS 26.245, with no code of the service. */
import { parseBoxes, type TestBox } from "./box-file.ts";

export interface TimedText {
  /** Four letters of the sample entry. */
  readonly entry: string;
  readonly language: string;
  readonly isEnabled: boolean;
  /** Size at which the track is shown, and the default text box: top, left, bottom, right. */
  readonly size: readonly [width: number, height: number];
  /** Factors by which its matrix scales. */
  readonly scale: readonly [horizontal: number, vertical: number];
  readonly textBox: readonly number[];
  readonly justification: readonly [horizontal: number, vertical: number];
  readonly fontSize: number;
  readonly color: number;
  /** Every sample, those without text too. */
  readonly samples: readonly {
    readonly startMs: number;
    readonly endMs: number;
    readonly text: string;
  }[];
}

/** The tracks of text, in the order of the file. */
export function readTimedTexts(bytes: Uint8Array): readonly TimedText[] {
  const file = Buffer.from(bytes);
  const moov = parseBoxes(file).find(({ type }) => type === "moov");
  return inner(moov)
    .filter(({ type }) => type === "trak")
    .filter((track) => contentOf(track, "mdia", "hdlr").toString("latin1", 8, 12) === "sbtl")
    .map((track) => readTrack(file, track));
}

function readTrack(file: Buffer, track: TestBox): TimedText {
  const [tkhd, mdhd] = [contentOf(track, "tkhd"), contentOf(track, "mdia", "mdhd")];
  const table = (name: string) => contentOf(track, "mdia", "minf", "stbl", name);
  const entry = table("stsd").subarray(8);
  const timeScale = mdhd.readUInt32BE(12);
  const packed = mdhd.readUInt16BE(20);
  const letters = [10, 5, 0].map((shift) => 0x60 + ((packed >> shift) & 31));
  const durations = numbersOf(table("stts"), 2).flatMap(([count = 0, duration = 0]) =>
    Array.from({ length: count }, () => duration),
  );
  const places = placesOf(table);
  let ticks = 0;
  const samples = durations.map((duration, index) => {
    const at = places[index] ?? 0;
    const startMs = (ticks * 1000) / timeScale;
    ticks += duration;
    const length = file.readUInt16BE(at);
    const text = file.toString("utf8", at + 2, at + 2 + length);
    return { startMs, endMs: (ticks * 1000) / timeScale, text };
  });
  // The entry: size, type, 6 bytes, data reference, flags, justification, background, box, style.
  return {
    entry: entry.toString("latin1", 4, 8),
    language: String.fromCharCode(...letters),
    isEnabled: (tkhd.readUInt32BE(0) & 1) === 1,
    size: [tkhd.readUInt32BE(76) / 0x1_0000, tkhd.readUInt32BE(80) / 0x1_0000],
    scale: [tkhd.readUInt32BE(40) / 0x1_0000, tkhd.readUInt32BE(56) / 0x1_0000],
    justification: [entry.readInt8(20), entry.readInt8(21)],
    textBox: [26, 28, 30, 32].map((at) => entry.readInt16BE(at)),
    fontSize: entry.readUInt8(41),
    color: entry.readUInt32BE(42),
    samples,
  };
}

/** Position of each sample in the file. */
function placesOf(table: (name: string) => Buffer): readonly number[] {
  const sizes = table("stsz");
  const common = sizes.readUInt32BE(4);
  const count = sizes.readUInt32BE(8);
  const sizeOf = (index: number) => (common > 0 ? common : sizes.readUInt32BE(12 + index * 4));
  const runs = numbersOf(table("stsc"), 3);
  const chunks = numbersOf(table("stco"), 1);
  const places: number[] = [];
  for (const [chunk, [start = 0]] of chunks.entries()) {
    const run = runs.findLast(([first = 0]) => first <= chunk + 1);
    let at = start;
    for (let left = run?.[1] ?? 0; left > 0 && places.length < count; left--) {
      places.push(at);
      at += sizeOf(places.length - 1);
    }
  }
  return places;
}

/** The rows of a table of 32-bit numbers, which follow its count. */
function numbersOf(table: Buffer, columns: number): readonly (readonly number[])[] {
  return Array.from({ length: table.readUInt32BE(4) }, (_row, row) =>
    Array.from({ length: columns }, (_column, column) =>
      table.readUInt32BE(8 + (row * columns + column) * 4),
    ),
  );
}

function inner(box: TestBox | undefined): readonly TestBox[] {
  return box === undefined || box.content instanceof Buffer
    ? []
    : (box.content as readonly TestBox[]);
}

function contentOf(box: TestBox, ...path: readonly string[]): Buffer {
  const found = path.reduce<TestBox | undefined>(
    (parent, name) => inner(parent).find(({ type }) => type === name),
    box,
  );
  if (found === undefined || !(found.content instanceof Buffer)) {
    throw new Error(`The track has no box ${path.join("/")}.`);
  }
  return found.content;
}

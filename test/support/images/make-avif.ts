/** AVIF files of coded frames that other files have, with the boxes of this project's own: grids, turns, stated colors. */
import { readAvifItems } from "../../../src/images/avif/avif-items.ts";

/** One coded frame, with the property that states its coding. */
export interface CodedFrame {
  readonly data: Uint8Array;
  readonly av1C: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Layer {
  readonly frames: readonly CodedFrame[];
  /** Of a picture in cells. */
  readonly grid?: Readonly<Record<"rows" | "columns" | "width" | "height", number>>;
}

export interface AvifParts {
  readonly color: Layer;
  readonly alpha?: Layer;
  readonly isPremultiplied?: boolean;
  /** Numbers of ITU-T H.273. */
  readonly nclx?: Readonly<Record<"primaries" | "transfer" | "matrix" | "isFullRange", number>>;
  /** Quarter turns counterclockwise, then a mirroring: 0 of top and bottom, 1 of left and right. */
  readonly irot?: number;
  readonly imir?: number;
  /** The data lie in the box of the items (`idat`), and not in one of the file. */
  readonly isInMeta?: boolean;
  /** How often the data of each item are stated, all at the same place. Default 1. */
  readonly timesStated?: number;
}

const u8 = (...values: readonly number[]) => Buffer.from(values);
const u16 = (...values: readonly number[]) =>
  Buffer.concat(values.map((value) => u8((value >> 8) & 255, value & 255)));
const u32 = (...values: readonly number[]) =>
  Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)));
const box = (type: string, ...parts: readonly Uint8Array[]) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, "latin1"), content]);
};
const full = (type: string, ...parts: readonly Uint8Array[]) => box(type, u32(0), ...parts);

/** The bits of each channel, which libavif asks for. */
function pixi(av1C: Uint8Array): Buffer {
  const flags = av1C[2] ?? 0;
  const bits = (flags & 0x40) === 0 ? 8 : (flags & 0x20) === 0 ? 10 : 12;
  const channels = (flags & 0x10) === 0 ? 3 : 1;
  return full("pixi", u8(channels, ...Array.from({ length: channels }, () => bits)));
}

/** The frames of a file: the only one of its colors, and that of its transparency. */
export function framesOf(file: Uint8Array): readonly CodedFrame[] {
  const { color, alpha } = readAvifItems(file);
  return [color, alpha].flatMap((layer, i) => {
    const cell = layer?.cells[0];
    if (cell === undefined) {
      return [];
    }
    const data = Uint8Array.from(Buffer.concat(cell.pieces));
    return { data, av1C: codingOf(file, i), width: cell.width, height: cell.height };
  });
}

/** The content of the box `av1C` with this number; the last one serves all further layers. */
function codingOf(file: Uint8Array, index: number): Uint8Array {
  const bytes = Buffer.from(file);
  const found: Uint8Array[] = [];
  for (let at = bytes.indexOf("av1C"); at !== -1; at = bytes.indexOf("av1C", at + 4)) {
    found.push(file.slice(at + 4, at - 4 + bytes.readUInt32BE(at - 4)));
  }
  const coding = found[Math.min(index, found.length - 1)];
  if (coding === undefined) {
    throw new Error("The file has no av1C.");
  }
  return coding;
}

interface Item {
  readonly id: number;
  readonly type: "av01" | "grid";
  readonly data: Uint8Array;
  readonly properties: readonly number[];
}

/** A file of these frames. */
export function makeAvif(parts: AvifParts): Uint8Array {
  const properties: Buffer[] = [];
  const property = (one: Buffer) => properties.push(one);
  const items: Item[] = [];
  const references: Buffer[] = [];
  const add = ({ frames, grid }: Layer, ofAll: readonly number[]): number => {
    const cells = frames.map(({ data, av1C, width, height }) => {
      const id = items.length + 1;
      const own = [
        property(full("ispe", u32(width, height))),
        property(box("av1C", av1C)),
        property(pixi(av1C)),
      ];
      items.push({ id, type: "av01", data, properties: grid ? own : [...own, ...ofAll] });
      return id;
    });
    if (grid === undefined) {
      return cells[0] ?? 0;
    }
    const id = items.length + 1;
    const { rows, columns, width, height } = grid;
    const data = Buffer.concat([u8(0, 0, rows - 1, columns - 1), u16(width, height)]);
    const size = property(full("ispe", u32(width, height)));
    const bits = property(pixi(frames[0]?.av1C ?? new Uint8Array(4)));
    items.push({ id, type: "grid", data, properties: [size, bits, ...ofAll] });
    references.push(box("dimg", u16(id, cells.length, ...cells)));
    return id;
  };
  const { nclx, irot, imir } = parts;
  const shown = [
    ...(nclx
      ? [
          property(
            box(
              "colr",
              Buffer.from("nclx"),
              u16(nclx.primaries, nclx.transfer, nclx.matrix),
              u8(nclx.isFullRange << 7),
            ),
          ),
        ]
      : []),
    ...(irot === undefined ? [] : [property(box("irot", u8(irot)))]),
    ...(imir === undefined ? [] : [property(box("imir", u8(imir)))]),
  ];
  const main = add(parts.color, shown);
  if (parts.alpha !== undefined) {
    const name = Buffer.from("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0");
    const alpha = add(parts.alpha, [property(full("auxC", name))]);
    references.push(box("auxl", u16(alpha, 1, main)));
    if (parts.isPremultiplied === true) {
      references.push(box("prem", u16(main, 1, alpha)));
    }
  }
  return joined(items, properties, references, main, parts);
}

function joined(
  items: readonly Item[],
  properties: readonly Buffer[],
  references: readonly Buffer[],
  main: number,
  { isInMeta = false, timesStated = 1 }: AvifParts,
): Uint8Array {
  const data = Buffer.concat(items.map((item) => item.data));
  const ftyp = box("ftyp", Buffer.from("avif"), u32(0), Buffer.from("avifmif1miaf"));
  const infos = items.map(({ id, type }) =>
    box("infe", u32(2 << 24), u16(id, 0), Buffer.from(type), u8(0)),
  );
  const associations = items.map((item) =>
    Buffer.concat([u16(item.id), u8(item.properties.length, ...item.properties)]),
  );
  const metaOf = (base: number) => {
    let at = base;
    const locations = items.map((item) => {
      const location = Buffer.concat([
        u16(item.id, isInMeta ? 1 : 0, 0, timesStated),
        ...Array.from({ length: timesStated }, () => u32(at, item.data.length)),
      ]);
      at += item.data.length;
      return location;
    });
    return full(
      "meta",
      full("hdlr", u32(0), Buffer.from("pict"), u32(0, 0, 0), u8(0)),
      full("pitm", u16(main)),
      box("iloc", u32(1 << 24), u8(0x44, 0), u16(items.length), ...locations),
      full("iinf", u16(items.length), ...infos),
      ...(references.length > 0 ? [full("iref", ...references)] : []),
      box("iprp", box("ipco", ...properties), full("ipma", u32(items.length), ...associations)),
      ...(isInMeta ? [box("idat", data)] : []),
    );
  };
  if (isInMeta) {
    return Uint8Array.from(Buffer.concat([ftyp, metaOf(0)]));
  }
  const base = ftyp.length + metaOf(0).length + 8;
  return Uint8Array.from(Buffer.concat([ftyp, metaOf(base), box("mdat", data)]));
}

import { PictureCodec } from "../codec/picture-codec.ts";
import type { ImageHeader, Orientation } from "../header/image-header.ts";
import { unreadableImage } from "../image-errors.ts";
import type { Size } from "../raster/fit-size.ts";
import type { Picture } from "../raster/raster.ts";
import { AVIF_INITIAL_BYTES } from "./avif-memory.ts";
import { type AvifItems, type AvifLayer, readAvifItems } from "./avif-items.ts";

/** Functions of avif.wasm (wasm/pictures/src/avif/frames.c and rows.c). */
interface ReaderExports {
  readonly frame: (
    layer: number,
    bytes: number,
    length: number,
    operatingPoint: number,
    width: number,
    height: number,
  ) => void;
  readonly cell: (
    layer: number,
    bytes: number,
    length: number,
    operatingPoint: number,
    cellWidth: number,
    cellHeight: number,
    left: number,
    top: number,
    width: number,
    height: number,
  ) => void;
  readonly colors_are: (
    matrix: number,
    primaries: number,
    isFullRange: number,
    isPremultiplied: number,
  ) => void;
  readonly row: (
    to: number,
    x: number,
    y: number,
    stepX: number,
    stepY: number,
    length: number,
  ) => void;
}

/** `enum layer` of wasm/pictures/src/avif/own.h. */
const LAYERS = { color: 0, alpha: 1 } as const;
const NONE = -1;
/** Size of the rows that are passed on at once. */
const STRIPE_BYTES = 256 * 1024;

/**
 * An AVIF decoded by dav1d, turned as its header states. Its frames are decoded whole; colors are made of their samples row
 * by row. `bytesMax` is the maximum of the reader's memory, a copy of the coded frame included. Throws NodeError
 * `IMAGE_UNREADABLE`; its rows throw CodecFault if the file is damaged or needs more memory.
 */
export function openAvif(
  bytes: Uint8Array,
  header: ImageHeader,
  module: WebAssembly.Module,
  bytesMax: number,
): Picture {
  const items = readAvifItems(bytes);
  const { color, alpha } = items;
  if (color.width !== header.width || color.height !== header.height) {
    throw unreadableImage(
      `states ${header.width} × ${header.height} px but has ${color.width} × ${color.height}. Save it again.`,
    );
  }
  if (alpha && (alpha.width !== color.width || alpha.height !== color.height)) {
    throw unreadableImage(
      `has transparency of another size: ${alpha.width} × ${alpha.height} px for ${color.width} × ${color.height}. Save it again.`,
    );
  }
  const { width, height, sourceOf } = turned(color, header.turns);
  return {
    width,
    height,
    isOpaque: alpha === undefined,
    // oxlint-disable-next-line typescript/require-await -- other pictures are asynchronous
    async *stripes() {
      const codec = new PictureCodec<ReaderExports>(module, {
        initialBytes: AVIF_INITIAL_BYTES,
        bytesMax,
      });
      decodeFrames(codec, items);
      const [[x, y], [beside, besideY]] = [sourceOf(0, 0), sourceOf(1, 0)];
      const [stepX, stepY] = [beside - x, besideY - y];
      const rowBytes = width * 4;
      const rowsAtOnce = Math.max(1, Math.floor(STRIPE_BYTES / rowBytes));
      const to = codec.room(rowsAtOnce * rowBytes);
      for (let top = 0; top < height; top += rowsAtOnce) {
        const count = Math.min(rowsAtOnce, height - top);
        codec.call(({ row }) => {
          for (let i = 0; i < count; i++) {
            const [fromX, fromY] = sourceOf(0, top + i);
            row(to + i * rowBytes, fromX, fromY, stepX, stepY, width);
          }
        });
        yield codec.bytes(to, count * rowBytes);
      }
    },
  };
}

type Reader = PictureCodec<ReaderExports>;

function decodeFrames(codec: Reader, { color, alpha, isPremultiplied, stated }: AvifItems): void {
  const layers = [
    [LAYERS.color, color] as const,
    ...(alpha ? [[LAYERS.alpha, alpha] as const] : []),
  ];
  const lengths = layers.flatMap(([, { cells }]) => cells.map(({ pieces }) => lengthOf(pieces)));
  // One after another is copied there.
  const at = codec.room(Math.max(1, ...lengths));
  for (const [layer, { width, height, isGrid, cells }] of layers) {
    for (const { pieces, operatingPoint, left, top, ...size } of cells) {
      const length = lengthOf(pieces);
      let end = at;
      for (const piece of pieces) {
        codec.bytes(end, piece.length).set(piece);
        end += piece.length;
      }
      codec.call(({ frame, cell }) => {
        if (isGrid) {
          cell(
            layer,
            at,
            length,
            operatingPoint,
            size.width,
            size.height,
            left,
            top,
            width,
            height,
          );
        } else {
          frame(layer, at, length, operatingPoint, width, height);
        }
      });
    }
  }
  codec.call(({ colors_are: colorsAre }) => {
    colorsAre(
      stated?.matrix ?? NONE,
      stated?.primaries ?? NONE,
      stated === undefined ? NONE : Number(stated.isFullRange),
      Number(isPremultiplied),
    );
  });
}

function lengthOf(pieces: AvifLayer["cells"][number]["pieces"]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

interface Turned extends Size {
  /** The place in the stored picture of a pixel of the turned one. */
  readonly sourceOf: (x: number, y: number) => readonly [number, number];
}

/** Turned one after another: each asks the one before for its pixels. */
function turned({ width, height }: Size, turns: readonly Orientation[]): Turned {
  return turns.reduce<Turned>(
    (before, turn) => {
      const isSide = turn >= 5;
      return {
        width: isSide ? before.height : before.width,
        height: isSide ? before.width : before.height,
        sourceOf: (x, y) => before.sourceOf(...sourceIn(before, turn, x, y)),
      };
    },
    { width, height, sourceOf: (x, y) => [x, y] },
  );
}

function sourceIn({ width, height }: Size, turn: Orientation, x: number, y: number) {
  const [right, bottom] = [width - 1, height - 1];
  const places: Readonly<Record<Orientation, readonly [number, number]>> = {
    1: [x, y],
    2: [right - x, y],
    3: [right - x, bottom - y],
    4: [x, bottom - y],
    5: [y, x],
    6: [y, bottom - x],
    7: [right - y, bottom - x],
    8: [right - y, x],
  };
  return places[turn];
}

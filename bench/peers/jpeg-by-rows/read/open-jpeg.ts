import type { ImageHeader, Orientation } from "../../../../src/images/header/image-header.ts";
import type { Picture } from "../../../../src/images/raster/raster.ts";
import { damagedJpeg, type JpegFrame } from "./jpeg-frame.ts";
import { ScanDecoder, type UnitRow } from "./decode-scan.ts";
import { JpegReader, type JpegScan } from "./jpeg-reader.ts";
import { SamplePlanes } from "./sample-planes.ts";

/** Number of columns decoded at once for a rotated picture. */
const TURNED_ROWS = 32;

/**
 * A JPEG read by rows and rotated as its header states. If it is sequential and upright, two rows
 * of blocks are held; otherwise the coefficients or the samples are held.
 */
export function openJpeg(bytes: Uint8Array, header: ImageHeader): Picture {
  const orientation = header.turns[0] ?? 1;
  const isSide = orientation >= 5;
  return {
    width: isSide ? header.height : header.width,
    height: isSide ? header.width : header.height,
    isOpaque: true,
    async *stripes() {
      if (orientation <= 2) {
        yield* uprightRows(bytes, orientation === 2);
      } else {
        yield* turnedRows(bytes, orientation);
      }
    },
  };
}

function* uprightRows(bytes: Uint8Array, isMirrored: boolean): Generator<Uint8ClampedArray> {
  const { frame, planes, rows } = decode(bytes);
  const { width, height, unitsHigh, vMax } = frame;
  const unitRows = 8 * vMax;
  const out = new Uint8ClampedArray(width * unitRows * 4);
  const pixels = new Uint32Array(out.buffer);
  const emit = (unit: number): Uint8ClampedArray => {
    const top = unit * unitRows;
    const count = Math.min(unitRows, height - top);
    for (let i = 0; i < count; i++) {
      planes.read(top + i, 0, width, out, i * width * 4);
      if (isMirrored) {
        pixels.subarray(i * width, (i + 1) * width).reverse();
      }
    }
    planes.drop(unit - 1);
    return out.subarray(0, count * width * 4);
  };
  let unit = 0;
  for (const coefficients of rows) {
    planes.add(unit, coefficients);
    // The last rows of a unit are blended with the first rows of the next.
    if (unit > 0) {
      yield emit(unit - 1);
    }
    unit++;
  }
  yield emit(unitsHigh - 1);
}

function* turnedRows(bytes: Uint8Array, orientation: Orientation): Generator<Uint8ClampedArray> {
  const { frame, planes, rows } = decode(bytes);
  const { width, height } = frame;
  let unit = 0;
  for (const coefficients of rows) {
    planes.add(unit++, coefficients);
  }
  const isSide = orientation >= 5;
  const [outWidth, outHeight] = isSide ? [height, width] : [width, height];
  const isFromBelow = orientation === 3 || orientation === 4;
  const isFromRight = orientation === 7 || orientation === 8 ? false : undefined;
  const stripe = new Uint8ClampedArray(outWidth * TURNED_ROWS * 4);
  const pixels = new Uint32Array(stripe.buffer);
  const span = new Uint8ClampedArray(TURNED_ROWS * 4);
  const spanPixels = new Uint32Array(span.buffer);
  void isFromRight;
  for (let top = 0; top < outHeight; top += TURNED_ROWS) {
    const count = Math.min(TURNED_ROWS, outHeight - top);
    if (isFromBelow) {
      for (let i = 0; i < count; i++) {
        planes.read(height - 1 - top - i, 0, width, stripe, i * width * 4);
        if (orientation === 3) {
          pixels.subarray(i * width, (i + 1) * width).reverse();
        }
      }
    } else {
      // Rows are columns in storage: from the left, or for 7 and 8 from the right.
      const isReversed = orientation >= 7;
      const start = isReversed ? width - top - count : top;
      for (let x = 0; x < outWidth; x++) {
        const row = orientation === 5 || orientation === 8 ? x : height - 1 - x;
        planes.read(row, start, start + count, span, 0);
        for (let i = 0; i < count; i++) {
          pixels[i * outWidth + x] = spanPixels[isReversed ? count - 1 - i : i] as number;
        }
      }
    }
    yield stripe.subarray(0, count * outWidth * 4);
  }
}

interface Decoding {
  readonly frame: JpegFrame;
  readonly planes: SamplePlanes;
  /** Coefficients from top to bottom; each row is valid until the next is requested. */
  readonly rows: Iterable<UnitRow>;
}

function decode(bytes: Uint8Array): Decoding {
  const reader = new JpegReader(bytes);
  const scan = reader.nextScan();
  if (scan === undefined) {
    throw damagedJpeg("it has no scan");
  }
  const { frame } = reader;
  const isWhole = !frame.isProgressive && scan.components.length === frame.components.length;
  const rows = isWhole ? wholeRows(frame, scan) : gatheredRows(frame, reader, scan);
  const planes = new SamplePlanes(frame, reader.colors, (index) => reader.quantaOf(index));
  return { frame, planes, rows };
}

function unitRow(frame: JpegFrame): Int16Array[] {
  return frame.components.map(({ blocksWide, v }) => new Int16Array(blocksWide * v * 64));
}

/** For a JPEG with all colors in one scan. */
function* wholeRows(frame: JpegFrame, scan: JpegScan): Generator<UnitRow> {
  const decoder = new ScanDecoder(frame, scan);
  const row = unitRow(frame);
  for (let unit = 0; unit < frame.unitsHigh; unit++) {
    for (const coefficients of row) {
      coefficients.fill(0);
    }
    decoder.decodeRow(unit, row);
    yield row;
  }
}

/** For several scans: all coefficients; each row is released after it was returned. */
function gatheredRows(frame: JpegFrame, reader: JpegReader, first: JpegScan): Iterable<UnitRow> {
  const rows: (UnitRow | undefined)[] = Array.from({ length: frame.unitsHigh }, () =>
    unitRow(frame),
  );
  for (let scan: JpegScan | undefined = first; scan !== undefined; scan = reader.nextScan()) {
    const decoder = new ScanDecoder(frame, scan);
    for (const [unit, row] of rows.entries()) {
      decoder.decodeRow(unit, row as UnitRow);
    }
  }
  return (function* () {
    for (const [unit, row] of rows.entries()) {
      rows[unit] = undefined;
      yield row as UnitRow;
    }
  })();
}

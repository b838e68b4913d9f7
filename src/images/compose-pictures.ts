/** Pictures laid over another one (docs/contract/pictures.md#composing). */
import type { StoredLayer, StoredPicture } from "../contracts/models/picture-edits.ts";
import type { ColorConversion } from "./color/convert-colors.ts";
import { CONVERSION_BYTES_MAX, checkConversion, conversionBytes } from "./conversion-bytes.ts";
import { readImageHeader } from "./header/read-image-header.ts";
import { type ImageCodecs, noteColors, openImage } from "./open-image.ts";
import {
  checkIsImage,
  PACKED_BYTES_MAX,
  packedDrawing,
  STRIPES_BYTES,
  SVG_LONGEST_SIDE_PX,
  SVG_TYPE,
  uprightSize,
} from "./picture-sources.ts";
import { PngEncoder } from "./png/png-encoder.ts";
import type { Size } from "./raster/fit-size.ts";
import { Band, cropPicture, layLayer, placeLayer } from "./raster/lay-layer.ts";
import type { Picture } from "./raster/raster.ts";
import { resamplePicture } from "./raster/resample-picture.ts";
import { RowResampler } from "./raster/row-resampler.ts";
import { decodeSvgText } from "./svg/check-svg.ts";
import { openSvg } from "./svg/draw-svg.ts";

interface Decoders {
  readonly codecs: ImageCodecs;
  readonly svgRenderer: WebAssembly.Module;
  readonly onColors: ((conversion: ColorConversion) => void) | undefined;
}

/** A picture that is read once for each band that it touches. */
interface Source extends Size {
  /** Memory of one reading, without the band. */
  readonly bytes: (written: Size, besideBytes: number) => number;
  /** Throws NodeError `IMAGE_TOO_LARGE` if it does not fit beside a band of `besideBytes`. */
  readonly open: (written: Size, besideBytes: number) => Promise<Picture>;
}

/** Fewer rows at once would read each picture too often. */
const BAND_ROWS_MIN = 64;

/**
 * The bytes of a PNG of the base's size. The base is composed in bands of as many rows as fit into memory, mostly all
 * of them, so that one picture at a time is decoded and no picture is held whole. Throws as `convert` does.
 */
export async function* composePictures(
  decoders: Decoders,
  storedBase: StoredPicture,
  layers: readonly StoredLayer[],
): AsyncGenerator<Uint8Array> {
  const all = [storedBase, ...layers];
  const drawings = all.filter(({ contentType }) => contentType === SVG_TYPE).length;
  const sources: Source[] = [];
  for (const stored of all) {
    // oxlint-disable-next-line no-await-in-loop -- one picture at a time is in memory
    sources.push(await sourceOf(decoders, stored, PACKED_BYTES_MAX / drawings));
  }
  const [base, ...above] = sources as [Source, ...Source[]];
  const { width, height } = base;
  const whole = { top: 0, width, height };
  const beside = above.map((layer, at) => {
    const { scaled, window } = placeLayer(layer, whole, (layers[at] as StoredLayer).placement);
    return window === undefined ? 0 : RowResampler.bytes(layer, scaled, window) + STRIPES_BYTES;
  });
  const heldBytes = STRIPES_BYTES + (drawings > 0 ? PACKED_BYTES_MAX : 0) + Math.max(0, ...beside);
  const most = Math.max(...sources.map((source) => source.bytes(base, heldBytes)));
  const fitting = Band.rowsIn(CONVERSION_BYTES_MAX - most, width);
  const rows = Math.min(height, Math.max(BAND_ROWS_MIN, fitting));
  const besideBytes = heldBytes + Band.bytes(width, rows);
  const band = new Band(decoders.codecs.pixels, width, rows);
  let encoder: PngEncoder | undefined;
  for (let top = 0; top < height; top += rows) {
    band.moveTo(top, Math.min(rows, height - top));
    // oxlint-disable no-await-in-loop -- the layers are laid one over the other
    const below = await base.open(base, besideBytes);
    await fillBand(band, below);
    for (const [at, layer] of above.entries()) {
      const { placement } = layers[at] as StoredLayer;
      const { scaled, window } = placeLayer(layer, band, placement);
      if (window !== undefined) {
        const picture = await layer.open(base, besideBytes);
        const isNatural = scaled.width === layer.width && scaled.height === layer.height;
        const seen = isNatural
          ? cropPicture(picture, window)
          : resamplePicture(decoders.codecs.pixels, picture, scaled, window);
        await layLayer(band, seen, placement);
      }
    }
    // oxlint-enable no-await-in-loop
    encoder ??= new PngEncoder(decoders.codecs.pixels, width, height, below.isOpaque);
    for (const rgba of band.stripes()) {
      yield* encoder.add(rgba);
    }
  }
  if (encoder !== undefined) {
    yield* encoder.end();
  }
}

async function sourceOf(
  { codecs, svgRenderer, onColors }: Decoders,
  stored: StoredPicture,
  packedBytesMax: number,
): Promise<Source> {
  const bytes = await stored.read();
  if (stored.contentType === SVG_TYPE) {
    const drawn = await openSvg(decodeSvgText(bytes), SVG_LONGEST_SIDE_PX, svgRenderer);
    const packed = await packedDrawing(drawn, packedBytesMax, true);
    const { width, height } = packed;
    return {
      width,
      height,
      bytes: (written, besideBytes) =>
        conversionBytes(PACKED, packed, 0, "composition", compositionOf(written, besideBytes)),
      open: () => Promise.resolve(packed),
    };
  }
  checkIsImage(stored.contentType);
  const header = readImageHeader(bytes);
  noteColors(header, onColors);
  const fileBytes = bytes.length;
  return {
    ...uprightSize(header),
    bytes: (written, besideBytes) =>
      conversionBytes(
        header,
        header,
        fileBytes,
        "composition",
        compositionOf(written, besideBytes),
      ),
    async open(written, besideBytes) {
      const composition = compositionOf(written, besideBytes);
      const memoryMax = checkConversion(header, fileBytes, "composition", composition);
      return await openImage(await stored.read(), header, codecs, memoryMax);
    },
  };
}

/** The pixels of a drawing are counted with what lies beside the band. */
const PACKED = { hasAlpha: true, decodingBytes: () => ({ kept: 0, fading: 0 }) };

function compositionOf({ width, height }: Size, besideBytes: number) {
  return { width, height, hasAlpha: true, besideBytes };
}

/** Reads the rows of a picture that are in the band. */
async function fillBand(band: Band, picture: Picture): Promise<void> {
  const { width, height, top } = band;
  let missing = height;
  for await (const stripe of cropPicture(picture, { width, height, left: 0, top }).stripes()) {
    missing = band.fill(stripe);
  }
  if (missing !== 0) {
    throw new RangeError(`A picture of ${picture.height} rows ended before row ${top}.`);
  }
}

import { POSTER_FACE } from "../../../images/lettering/poster-face.ts";
import { linePath, lineWidth } from "../../../images/lettering/typeface.ts";
import { PngEncoder } from "../../../images/png/png-encoder.ts";
import type { Raster } from "../../../images/raster/raster.ts";
import { shrinkPicture } from "../../../images/raster/shrink-picture.ts";
import { type Band, type Item, paintItems } from "../../../images/vector/paint-bands.ts";
import { hash32, numbersOf } from "../hash.ts";
import { SAMPLE_PNG_TEXTS } from "../write-sample-png.ts";
import { chooseLook } from "./choose-look.ts";
import { compose, type Composition, planPicture, type Words } from "./compose.ts";
import { BAND_EFFECTS, lensOf } from "./effects.ts";
import { makePalette } from "./palette.ts";
import { Pen } from "./pen.ts";
import type { SamplePictureRequest } from "./picture-request.ts";
import { blurRows, OutOfFocus } from "./soften.ts";

const BAND_COLOR = [0x11, 0x18, 0x27] as const;
const BAND_WORD = "SAMPLE";
const BAND_TRACKING = 0.14;

/** Part of a picture that one input image, or each of several, covers at least. */
const ONE_SHARE = 0.1;
const EACH_SHARE = 0.05;

/** Pixels that are painted at once. */
const BAND_PIXELS = 128 * 1024;
/** Pixels that are held of all input images together; larger ones are enlarged when painted. */
const INPUT_PIXELS = 3 * 1024 * 1024;
/** Words beyond this length change the palette but are not drawn. */
const DRAWN_CHARACTERS = 1_200;

/** Height of the band at the bottom: 8 % and at least 16 px. */
export function bandHeight(height: number): number {
  return Math.max(16, Math.ceil((height * 8) / 100));
}

/**
 * Draws the sample image model's answer: a PNG in pieces. Memory: the input images at the size at
 * which they are drawn, and some rows. `pixels` is pixels.wasm.
 */
export async function* drawSamplePicture(
  pixels: WebAssembly.Module,
  request: SamplePictureRequest,
): AsyncGenerator<Uint8Array> {
  const { width, height } = request;
  const above = height - bandHeight(height);
  const composition = await composePicture(request, above);
  const label = bandLabel(width, height, above);
  const paint = bandPainter(request, composition, above);
  const encoder = new PngEncoder(pixels, width, height, true, SAMPLE_PNG_TEXTS);
  const rowsAtOnce = Math.max(1, Math.floor(BAND_PIXELS / width));
  for (let top = 0; top < height;) {
    const rows = Math.min(rowsAtOnce, (top < above ? above : height) - top);
    const band = { rgba: new Uint8ClampedArray(width * rows * 4).fill(255), width, top, rows };
    if (top < above) {
      paint(band);
    } else {
      paintItems(label, band);
    }
    yield* encoder.add(band.rgba);
    top += rows;
  }
  yield* encoder.end();
}

/** All shapes of a picture without an effect, back to front, its label included. */
export async function samplePictureItems(request: SamplePictureRequest): Promise<readonly Item[]> {
  const { width, height } = request;
  const above = height - bandHeight(height);
  const { background, foreground } = await composePicture(request, above);
  return [...background, ...foreground, ...bandLabel(width, height, above)];
}

async function composePicture(request: SamplePictureRequest, above: number): Promise<Composition> {
  const { width, height, preset, effect, images, accent } = request;
  const key = [request.prompt, request.seed, preset?.category, preset?.code, accent].join("\n");
  const next = numbersOf(key);
  const look = chooseLook(preset, next());
  const palette = makePalette(next, accent, look.mood);
  const words = wordsOf(request);
  const areaMin = width * height * (images.length === 1 ? ONE_SHARE : EACH_SHARE);
  const layout = planPicture(
    width,
    above,
    look,
    words.headline !== "",
    images.map((image) => image.width / image.height),
    areaMin,
  );
  const rasters: Raster[] = [];
  for (const [i, image] of images.entries()) {
    const box = layout.cards[i];
    const aspect = image.width / image.height;
    const sideMax = Math.sqrt((INPUT_PIXELS / images.length) * Math.max(aspect, 1 / aspect));
    // The next sequence matters: a picture's rows can be read once, one picture after the other.
    rasters.push(
      await shrinkPicture(
        image,
        Math.max(1, Math.min(sideMax, Math.max(box?.width ?? 1, box?.height ?? 1))),
      ),
    );
  }
  const lens = effect === null ? undefined : lensOf(effect.code, width, above);
  return compose(layout, look, palette, words, rasters, next, lens);
}

/** The function that paints a band above the label, with the effect. */
function bandPainter(
  { effect, width, prompt, seed }: SamplePictureRequest,
  { background, foreground }: Composition,
  height: number,
): (band: Band) => void {
  const strength = (effect?.intensity ?? 0) / 100;
  const blurred =
    effect?.code === "shallow_focus" || effect?.code === "macro"
      ? new OutOfFocus(background, width, height)
      : undefined;
  const change = effect === null ? undefined : BAND_EFFECTS[effect.code];
  const room = { width, height, strength, seed: hash32(`${prompt}\n${seed}`) };
  return (band) => {
    paintItems(background, band);
    blurred?.apply(band, effect?.code === "macro" ? 0.7 : strength);
    if (effect?.code === "motion_blur") {
      blurRows(band, strength);
    }
    paintItems(foreground, band);
    change?.(band, room);
  };
}

/** The band at the bottom with its word in white, as large as fits. */
function bandLabel(width: number, height: number, above: number): readonly Item[] {
  const band = height - above;
  const wordWidth = lineWidth(POSTER_FACE, BAND_WORD, BAND_TRACKING);
  const cap = POSTER_FACE.capHeight / 1000;
  const size = Math.min((band * 0.46) / cap, (width * 0.82) / wordWidth);
  const pen = new Pen();
  pen.rect({ x: 0, y: above, width, height: band }, BAND_COLOR);
  const baseline = above + (band + size * cap) / 2;
  pen.path(
    linePath(
      POSTER_FACE,
      BAND_WORD,
      size,
      (width - wordWidth * size) / 2,
      Math.round(baseline),
      BAND_TRACKING,
    ),
    [255, 255, 255],
  );
  return pen.items;
}

/** A sentence that this service adds for a model, not the user's words. */
const INSTRUCTION = /\bimage [12]\b/;
const HEADLINE = /^Headline: "(.*)"$/;

/** Divides the prompt into a headline and the rest. */
function wordsOf({ prompt, preset, effect }: SamplePictureRequest): Words {
  const lines = prompt
    .slice(0, DRAWN_CHARACTERS)
    .split("\n")
    .map((line) => line.replace(/[\p{C}\s]+/gu, " ").trim())
    .filter((line) => line !== "");
  const given = lines.map((line) => HEADLINE.exec(line)?.[1]).find((line) => line !== undefined);
  const own = lines.filter((line) => !INSTRUCTION.test(line) && !HEADLINE.test(line));
  const label = [preset?.code, effect?.code]
    .filter((code) => code !== undefined)
    .map((code) => code.replaceAll("_", " ").toUpperCase())
    .join("  ·  ");
  const [first = "", ...others] =
    given === undefined ? (own.length > 0 ? own : lines) : [given, ...own];
  const [headline, remaining] = given === undefined ? splitHeadline(first) : [given, ""];
  return {
    label,
    headline: headline.toUpperCase(),
    rest: [remaining, ...others].filter((part) => part !== "").join(" "),
  };
}

const HEADLINE_WORDS_MAX = 7;

/** The first phrase, or the first words of a long one. */
function splitHeadline(line: string): [headline: string, rest: string] {
  const words = line.split(" ");
  const end = words
    .slice(0, HEADLINE_WORDS_MAX + 1)
    .findIndex((word, i) => i > 0 && /[.,;:!?…–—]$/.test(word));
  const count =
    words.length <= HEADLINE_WORDS_MAX ? words.length : end === -1 ? HEADLINE_WORDS_MAX : end + 1;
  const headline = words
    .slice(0, count)
    .join(" ")
    .replace(/[.,;:–—]$/, "");
  return [headline, words.slice(count).join(" ")];
}

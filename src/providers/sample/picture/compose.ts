import { POSTER_FACE } from "../../../images/lettering/poster-face.ts";
import { TEXT_FACE } from "../../../images/lettering/text-face.ts";
import { linePath, lineWidth, type Typeface } from "../../../images/lettering/typeface.ts";
import type { Rgb } from "../../../contracts/code-symbol.ts";
import type { Raster } from "../../../images/raster/raster.ts";
import type { Item } from "../../../images/vector/paint-bands.ts";
import { boxPath } from "../../../images/vector/path.ts";
import type { Look } from "./choose-look.ts";
import type { Palette } from "./palette.ts";
import { Pen, type PointMap } from "./pen.ts";
import { type Box, equalCells, placeCards, RATIOS_MAX } from "./place-cards.ts";
import { type SetText, setText } from "./set-text.ts";

/** What one picture shows above its band. */
export interface Composition {
  readonly background: readonly Item[];
  readonly foreground: readonly Item[];
}

export interface Words {
  /** A short line above the headline. */
  readonly label: string;
  readonly headline: string;
  readonly rest: string;
}

export interface PictureLayout {
  readonly width: number;
  /** Of the part above the band. */
  readonly height: number;
  readonly textZone: Box | undefined;
  /** Where the text stands in its zone. */
  readonly textAt: "top" | "middle";
  readonly motifZone: Box;
  readonly cards: readonly Box[];
  readonly frame: number;
}

const WHITE: Rgb = [255, 255, 255];

/**
 * Divides the picture: text beside or below the motif, cards on the motif; the cards take more of
 * the picture if each would be smaller than `areaMin` px otherwise.
 */
export function planPicture(
  width: number,
  height: number,
  look: Look,
  hasWords: boolean,
  aspects: readonly number[],
  areaMin: number,
): PictureLayout {
  const side = Math.sqrt(width * height);
  const short = Math.min(width, height);
  const margin = Math.round(Math.min(side * 0.065, short * 0.12));
  const ratio = width / height;
  const frame = aspects.length === 0 ? 0 : Math.max(1, Math.round(side * 0.008));
  const inset = (box: Box, by: number): Box => ({
    x: box.x + by,
    y: box.y + by,
    width: Math.max(1, box.width - by * 2),
    height: Math.max(1, box.height - by * 2),
  });
  const whole: Box = { x: 0, y: 0, width, height };
  const steps = aspects.length === 0 ? DIVISIONS.slice(0, 1) : DIVISIONS;
  for (const ratioMax of RATIOS_MAX) {
    for (const step of steps) {
      const share = hasWords ? step.share : 0;
      const [text, rest] = divide(whole, share, ratio, look.isScene);
      const zone = inset(rest, margin * step.margin + frame);
      const gap = margin * step.gap + frame * 2;
      const cards = aspects.length === 0 ? [] : placeCards(aspects, zone, gap, areaMin, ratioMax);
      if (cards !== undefined) {
        return {
          width,
          height,
          textZone: share === 0 ? undefined : inset(text, margin * (share < 0.3 ? 0.45 : 1)),
          textAt: look.isScene ? "top" : "middle",
          motifZone: look.isScene || share === 0 ? whole : rest,
          cards,
          frame,
        };
      }
    }
  }
  const cards = equalCells(aspects.length, whole, 0);
  return { width, height, textZone: undefined, textAt: "top", motifZone: whole, cards, frame: 0 };
}

/**
 * Parts of the picture for the text, then margins and gaps in parts of the usual margin, from the
 * most generous to the tightest.
 */
const DIVISIONS = [
  { share: 0.44, margin: 1, gap: 0.5 },
  { share: 0.4, margin: 1, gap: 0.5 },
  { share: 0.3, margin: 1, gap: 0.5 },
  { share: 0.22, margin: 0.6, gap: 0.3 },
  { share: 0.15, margin: 0.4, gap: 0.25 },
  { share: 0, margin: 0.3, gap: 0.2 },
  { share: 0, margin: 0, gap: 0 },
];

/** The part for text and the rest. In a scene the text stands in the calm upper part. */
function divide(whole: Box, share: number, ratio: number, isScene: boolean): [Box, Box] {
  const { width, height } = whole;
  if (ratio >= 1.2 && width >= 120) {
    const part = Math.round(width * share);
    const text = isScene
      ? { x: 0, y: 0, width: Math.round(part * 1.25), height: Math.round(height * 0.56) }
      : { x: 0, y: 0, width: part, height };
    return [text, { x: text.width, y: 0, width: width - text.width, height }];
  }
  const part = Math.round(height * share);
  const [above, below] = [
    { x: 0, y: 0, width, height: isScene ? part : height - part },
    { x: 0, y: isScene ? part : height - part, width, height: isScene ? height - part : part },
  ];
  return isScene ? [above, below] : [below, above];
}

/** The shapes of a layout. `pictures` belong to the layout's cards, in their sequence. */
export function compose(
  layout: PictureLayout,
  look: Look,
  palette: Palette,
  words: Words,
  pictures: readonly Raster[],
  next: () => number,
  map: PointMap | undefined,
): Composition {
  const { width, height, motifZone, textZone } = layout;
  const back = new Pen(map);
  const paper = new Pen();
  paper.shade(
    boxPath(0, 0, width, height, [0, 0, 0, 0]),
    [palette.paper, palette.paperEnd],
    [0, 0],
    [0, height],
  );
  look.motif(back, motifZone, palette, next);
  const cover = new Pen();
  if (motifZone.width < width) {
    cover.rect({ x: 0, y: 0, width: motifZone.x, height }, palette.paper);
  } else if (motifZone.height < height) {
    cover.rect(
      { x: 0, y: motifZone.height, width, height: height - motifZone.height },
      palette.paper,
    );
  }
  const front = new Pen();
  if (layout.frame > 0) {
    // All below all cards: a shadow must not change a picture's colors.
    front.items.push(...layout.cards.map((box) => shadow(box, layout.frame)));
  }
  for (const [i, box] of layout.cards.entries()) {
    const raster = pictures[i];
    if (raster !== undefined) {
      front.items.push(...card(box, raster, layout.frame));
    }
  }
  if (textZone !== undefined) {
    setWords(front, textZone, layout, palette, words);
  }
  return { background: [...paper.items, ...back.items, ...cover.items], foreground: front.items };
}

function framed({ x, y, width, height }: Box, frame: number): Box {
  return { x: x - frame, y: y - frame, width: width + frame * 2, height: height + frame * 2 };
}

function shadow(box: Box, frame: number): Item {
  const outer = framed(box, frame);
  const blur = Math.max(1, frame * 1.6);
  const color: Rgb = [10, 14, 30];
  return { kind: "shadow", ...outer, y: outer.y + blur * 0.9, blur, color, opacity: 0.34 };
}

/** A white frame and the whole picture in it. */
function card(box: Box, raster: Raster, frame: number): Item[] {
  const outer = framed(box, frame);
  const pen = new Pen();
  pen.path(boxPath(outer.x, outer.y, outer.width, outer.height, [0, 0, 0, 0]), WHITE);
  const scale = Math.min(box.width / raster.width, box.height / raster.height);
  const isNear = (a: number, b: number) => Math.abs(a - b) < 2;
  const [w, h] = [
    Math.max(1, Math.round(raster.width * scale)),
    Math.max(1, Math.round(raster.height * scale)),
  ];
  const fitted =
    isNear(w, box.width) && isNear(h, box.height)
      ? box
      : {
          x: box.x + Math.floor((box.width - w) / 2),
          y: box.y + Math.floor((box.height - h) / 2),
          width: w,
          height: h,
        };
  pen.items.push({ kind: "picture", ...fitted, raster });
  return pen.items;
}

const HEADLINE_LEADING = 1.14;
const REST_LEADING = 1.42;

/** Label, headline, a short rule and the other words, the headline as large as has room. */
function setWords(
  pen: Pen,
  zone: Box,
  layout: PictureLayout,
  palette: Palette,
  words: Words,
): void {
  const side = Math.sqrt(layout.width * layout.height);
  const labelSize = side * 0.021;
  const hasLabel = words.label !== "" && labelSize >= 7 && zone.height > labelSize * 8;
  const labelHeight = hasLabel ? labelSize * 2.3 : 0;
  const restSize = Math.max(8, side * 0.031);
  const hasRest = words.rest !== "" && zone.height > restSize * 7 && zone.width > restSize * 8;
  const restRoom = hasRest ? Math.min(zone.height * 0.42, restSize * 7.5) : 0;
  const headline = setText(POSTER_FACE, words.headline, {
    width: zone.width,
    height: zone.height - labelHeight - restRoom,
    sizeMax: Math.min(side * 0.125, zone.height * 0.5),
    sizeMin: 7,
    linesMax: 5,
    leading: HEADLINE_LEADING,
  });
  const headlineHeight = inkHeight(POSTER_FACE, headline);
  const rest = hasRest
    ? setText(TEXT_FACE, words.rest, {
        width: Math.min(zone.width, restSize * 34),
        height: Math.max(restSize, zone.height - labelHeight - headlineHeight - restSize * 2.6),
        sizeMax: restSize,
        sizeMin: Math.max(7, restSize * 0.75),
        linesMax: 6,
        leading: REST_LEADING,
      })
    : undefined;
  const ruleHeight = rest === undefined ? 0 : restSize * 2.6;
  const total = labelHeight + headlineHeight + ruleHeight + inkHeight(TEXT_FACE, rest);
  const free = Math.max(0, zone.height - total);
  let y = zone.y + (layout.textAt === "top" ? 0 : free / 2);
  if (hasLabel) {
    const label = fitLabel(words.label, zone.width / labelSize);
    const cap = (TEXT_FACE.capHeight / 1000) * labelSize;
    pen.path(linePath(TEXT_FACE, label, labelSize, zone.x, y + cap, 0.12), palette.soft);
    y += labelHeight;
  }
  if (headline !== undefined) {
    y = setLines(pen, POSTER_FACE, headline, zone.x, y, palette.ink);
  }
  if (rest !== undefined) {
    pen.rect(
      {
        x: zone.x,
        y: Math.round(y + restSize * 1.05),
        width: Math.round(side * 0.06),
        height: Math.max(1, Math.round(side * 0.005)),
      },
      palette.main,
    );
    setLines(pen, TEXT_FACE, rest, zone.x, y + ruleHeight, palette.soft);
  }
}

function fitLabel(label: string, width: number): string {
  let text = label;
  while (text !== "" && lineWidth(TEXT_FACE, text, 0.12) > width) {
    text = text.slice(0, -1);
  }
  return text;
}

/** From the top of the first line's capitals to the last baseline. */
function inkHeight(face: Typeface, text: SetText | undefined): number {
  return text === undefined
    ? 0
    : (text.size * face.capHeight) / 1000 + text.leading * (text.lines.length - 1);
}

/** Draws lines from the top of their capitals and returns the last baseline. */
function setLines(
  pen: Pen,
  face: Typeface,
  text: SetText,
  x: number,
  top: number,
  color: Rgb,
): number {
  let baseline = top + (text.size * face.capHeight) / 1000;
  for (const [i, line] of text.lines.entries()) {
    baseline += i === 0 ? 0 : text.leading;
    pen.path(linePath(face, line.text, text.size, x, baseline), color);
  }
  return baseline;
}

import type { DisplayGlyphs, PlacedGlyph } from "../../templates/display-list.ts";
import type { FontEmbedder, UsedGlyph } from "./font-embedder.ts";
import { hex4, num, utf16Hex } from "./pdf-syntax.ts";

/**
 * What a glyph is read as whose cluster is read with other glyphs: WORD JOINER, which readers that ignore ActualText
 * leave out as a format character. Without any text they would guess one from the glyph's number.
 */
const NO_TEXT = "\u{2060}";

const MARK = /\p{M}/u;

/**
 * Space between letters, in font sizes, from which readers of PDFs may take it for the space between words. pdf.js does from 0.102
 * and poppler from 0.1.
 */
const SPACED_OUT = 0.08;

/** Glyphs of one cluster that stand next to each other. */
interface Span {
  readonly glyphs: readonly NumberedGlyph[];
  /** The text to state, if it is not that of the glyphs. */
  readonly actualText?: string;
}

/** A glyph under its number in the file. */
interface NumberedGlyph {
  readonly used: UsedGlyph;
  readonly x: number;
  readonly y: number;
}

/** One run of glyphs as text operators. */
export class GlyphWriter {
  readonly #run: DisplayGlyphs;
  readonly #font: FontEmbedder;
  readonly #select: (reading: number) => string;
  readonly #lines: string[] = [];
  /** The elements of the `TJ` array that is being written. */
  #array = "";
  #hex = "";
  /** Where the viewer's pen stands, in thousandths of the font size from the run's start. */
  #pen = 0;
  #rise = 0;
  /** The font that is set, by the reading of its glyphs. */
  #reading = 0;
  /** Glyphs of clusters that are read with other glyphs. */
  readonly #unread: NumberedGlyph[] = [];

  /** `select` gives the operator that sets the font of a reading. */
  constructor(run: DisplayGlyphs, font: FontEmbedder, select: (reading: number) => string) {
    this.#run = run;
    this.#font = font;
    this.#select = select;
  }

  /** From `BT` to `ET`; the font of reading 0 is set before, and after. */
  lines(): readonly string[] {
    const { x, y } = this.#run;
    // The page is turned upside down, the letters are not.
    this.#lines.push(`BT 1 0 0 -1 ${num(x)} ${num(y)} Tm`);
    const spacedOut = this.#spacedOutText();
    if (spacedOut !== undefined) {
      this.#beginText(spacedOut);
    }
    if (this.#isPlain()) {
      this.#showPlain();
    } else {
      for (const span of this.#spans()) {
        this.#showSpan(span);
      }
    }
    if (spacedOut !== undefined) {
      this.#endText();
    }
    if (this.#unread.length > 0) {
      // After the others: readers end a piece of text at such a mark, and turn right-to-left text around by pieces.
      this.#showSpan({ glyphs: this.#unread, actualText: "" });
    }
    this.#setReading(0);
    this.#endArray();
    if (this.#rise !== 0) {
      this.#lines.push("0 Ts");
    }
    this.#lines.push("ET");
    return this.#lines;
  }

  #showSpan({ glyphs, actualText }: Span): void {
    if (actualText === undefined) {
      return this.#show(glyphs);
    }
    this.#beginText(actualText);
    this.#show(glyphs);
    this.#endText();
  }

  /**
   * The run's text if its letters stand so far apart that readers would put spaces between them. Not of a run from right to left:
   * with ActualText poppler puts its marks before their letters.
   */
  #spacedOutText(): string | undefined {
    const { charSpacing = 0, size, isRightToLeft, clusters } = this.#run;
    return charSpacing < SPACED_OUT * size || isRightToLeft
      ? undefined
      : clusters.map(({ text }) => text).join("");
  }

  /** What is shown until `#endText` is read as this text by readers that know ActualText. */
  #beginText(text: string): void {
    this.#endArray();
    this.#lines.push(`/Span<</ActualText<FEFF${utf16Hex(text)}>>>BDC`);
  }

  #endText(): void {
    this.#endArray();
    this.#lines.push("EMC");
  }

  /** Whether there is a glyph for each cluster, in reading order, as in most texts. */
  #isPlain(): boolean {
    const { glyphs, clusters } = this.#run;
    return (
      glyphs.length === clusters.length && glyphs.every(({ cluster }, index) => cluster === index)
    );
  }

  /** A cluster without a glyph is read with the one before it. */
  #spans(): Span[] {
    const { glyphs, clusters } = this.#run;
    const groups: { cluster: number; glyphs: PlacedGlyph[] }[] = [];
    for (const glyph of glyphs) {
      const last = groups.at(-1);
      if (last?.cluster === glyph.cluster) {
        last.glyphs.push(glyph);
      } else {
        groups.push({ cluster: glyph.cluster, glyphs: [glyph] });
      }
    }
    const seen = new Set(groups.map(({ cluster }) => cluster));
    const texts = new Map<number, string>();
    let owner = groups.length === 0 ? -1 : Math.min(...seen);
    for (const [i, { text }] of clusters.entries()) {
      owner = seen.has(i) ? i : owner;
      texts.set(owner, (texts.get(owner) ?? "") + text);
    }
    const done = new Set<number>();
    return groups.map(({ cluster, glyphs: own }) => {
      // A cluster whose glyphs lie apart is read once.
      const text = done.has(cluster) ? "" : (texts.get(cluster) ?? "");
      done.add(cluster);
      return this.#spanOf(own, text);
    });
  }

  /** Shows the same as `#spans`, without an array of them. */
  #showPlain(): void {
    const { glyphs, clusters } = this.#run;
    for (let index = 0; index < glyphs.length; index++) {
      const { glyph, x, y } = glyphs[index] as PlacedGlyph;
      const given = clusters[index]?.text ?? "";
      const text = this.#isTurned(given) ? turned(given) : given;
      const used = this.#font.use(glyph, text === "" ? NO_TEXT : text);
      if (text === "") {
        this.#unread.push({ used, x, y });
      } else {
        this.#showGlyph(used, x, y);
      }
    }
  }

  #spanOf(glyphs: readonly PlacedGlyph[], text: string): Span {
    const parts = this.#partsOf(text, glyphs.length);
    const read: NumberedGlyph[] = [];
    for (const [i, { glyph, x, y }] of glyphs.entries()) {
      const part = parts[i] ?? "";
      const used = this.#font.use(glyph, part === "" ? NO_TEXT : part);
      (part === "" ? this.#unread : read).push({ used, x, y });
    }
    return { glyphs: read };
  }

  /** What each glyph of a cluster is read as, from left to right. */
  #partsOf(text: string, count: number): string[] {
    if (this.#isTurned(text)) {
      const read = turned(text);
      // HarfBuzz places the marks of a right-to-left letter before it.
      return Array.from({ length: count }, (_, i) => (i === count - 1 ? read : ""));
    }
    const parts = partsOf(text, count);
    return this.#run.isRightToLeft ? parts.reverse() : parts;
  }

  /**
   * A right-to-left letter with marks is read from its one glyph, marks first: readers turn the text of a line around, marks
   * included. With a text for each mark poppler and PDFium sort marks by their places, and break words into lines.
   */
  #isTurned(text: string): boolean {
    return this.#run.isRightToLeft && text.length > 1 && MARK.test(text);
  }

  #show(glyphs: readonly NumberedGlyph[]): void {
    for (const { used, x, y } of glyphs) {
      this.#showGlyph(used, x, y);
    }
  }

  #showGlyph(used: UsedGlyph, x: number, y: number): void {
    this.#setReading(used.reading);
    if (y !== 0 || this.#rise !== 0) {
      this.#setRise(-y);
    }
    const wanted = (x * 1_000) / this.#run.size;
    const adjustment = Math.round(this.#pen - wanted);
    if (adjustment !== 0) {
      this.#endString();
      this.#array += String(adjustment);
      this.#pen -= adjustment;
    }
    this.#hex += hex4(used.cid);
    this.#pen += used.width;
  }

  #setRise(rise: number): void {
    const rounded = Math.round(rise * 1_000) / 1_000;
    if (rounded !== this.#rise) {
      this.#endArray();
      this.#rise = rounded === 0 ? 0 : rounded;
      this.#lines.push(`${num(this.#rise)} Ts`);
    }
  }

  #setReading(reading: number): void {
    if (reading !== this.#reading) {
      this.#endArray();
      this.#reading = reading;
      this.#lines.push(this.#select(reading));
    }
  }

  #endString(): void {
    if (this.#hex !== "") {
      this.#array += `<${this.#hex}>`;
      this.#hex = "";
    }
  }

  #endArray(): void {
    this.#endString();
    if (this.#array !== "") {
      this.#lines.push(/^<\w*>$/.test(this.#array) ? `${this.#array}Tj` : `[${this.#array}]TJ`);
      this.#array = "";
    }
  }
}

/** The text of each of a cluster's glyphs in reading order: a character each, as far as there are, and the rest the last. */
function partsOf(text: string, count: number): string[] {
  const characters = Array.from(text);
  return Array.from({ length: count }, (_, i) =>
    i === count - 1 ? characters.slice(i).join("") : (characters[i] ?? ""),
  );
}

function turned(text: string): string {
  return Array.from(text).reverse().join("");
}

import type { Point } from "../../display-list.ts";
import type {
  LayoutReport,
  PictureFailure,
  ReportedImage,
  ReportedLink,
  ReportedList,
  ReportedText,
} from "../../../contracts/templates/layout-report.ts";
import type { LaidText } from "../../text/laid-text.ts";
import type { PictureResource } from "../resources/layout-resources.ts";
import type { RenderProblem } from "../options.ts";

/** The part of a layout report that the layout itself knows. */
export type LayoutFacts = Omit<
  LayoutReport,
  "schema" | "template_id" | "revision" | "version_id" | "duration_ms"
>;

export type LinkReason = "invalid_value" | "not_in_pdfx4";

/** What a reader would have trouble with, beyond the report. */
export interface LayoutNote {
  readonly code: "text_small" | "outside_page";
  readonly element_id: string;
  readonly page_number: number;
}

const ROUNDING = 0.01;

/** Where a part stands: the element, its field and the row. */
export interface Place {
  readonly elementId: string;
  /** As `rows.k` inside lists; null without a field. */
  readonly field: string | null;
  /** In the values, as `rows[2].k`; "" without a field. */
  readonly valuePath: string;
  readonly item: readonly number[];
}

interface FieldSums {
  occurrences: number;
  characters: number;
  printed: number;
  cut: number;
}

/** Counts what prints and what does not, while pages are painted. */
export class LayoutAccount {
  /** The output page that is being painted, from 1. */
  pageNumber = 1;
  pageSize = { width: 0, height: 0 };
  readonly problems: RenderProblem[] = [];
  readonly notes: LayoutNote[] = [];
  readonly #texts: ReportedText[] = [];
  readonly #lists: ReportedList[] = [];
  readonly #images: ReportedImage[] = [];
  readonly #links: ReportedLink[] = [];
  readonly #missing = new Map<number, number>();
  readonly #substituted = new Set<string>();
  readonly #fields = new Map<string, FieldSums>();
  readonly #valuesIgnored: readonly string[];
  #rowsPrinted = 0;
  #rowsLeftOut = 0;
  #imagesLoaded = 0;
  #textsTotal = 0;
  #textsShrunk = 0;
  #textsCut = 0;
  #hasOverflow = false;
  #characters = 0;
  #charactersPrinted = 0;
  #linksPrinted = 0;
  #elementsLeftOut = 0;

  /** Every field of the document, so that those that print nowhere are listed too. */
  constructor(fieldCodes: readonly string[], valuesIgnored: readonly string[]) {
    this.#valuesIgnored = valuesIgnored;
    for (const code of fieldCodes) {
      this.#fields.set(code, { occurrences: 0, characters: 0, printed: 0, cut: 0 });
    }
  }

  text(place: Place, laid: LaidText): void {
    this.#textsTotal += 1;
    this.#characters += laid.characters;
    this.#charactersPrinted += laid.charactersPrinted;
    if (place.field !== null) {
      const sums = this.#sumsOf(place.field);
      sums.occurrences += 1;
      sums.characters += laid.characters;
      sums.printed += laid.charactersPrinted;
      sums.cut += laid.charactersCut;
    }
    for (const [codePoint, count] of laid.missingGlyphs) {
      this.#missing.set(codePoint, (this.#missing.get(codePoint) ?? 0) + count);
    }
    for (const name of laid.substitutedFonts) {
      this.#substituted.add(name);
    }
    const { outcome } = laid;
    if (outcome !== "printed") {
      this.#textsShrunk += outcome === "shrunk" ? 1 : 0;
      this.#textsCut += outcome === "cut" ? 1 : 0;
      this.#hasOverflow ||= outcome === "overflowed";
      this.#texts.push({
        element_id: place.elementId,
        field: place.field,
        item: [...place.item],
        page_number: this.pageNumber,
        outcome,
        font_size: laid.fontSize,
        authored_font_size: laid.authoredFontSize,
        lines: laid.lines,
        lines_cut: laid.linesCut,
        characters: laid.characters,
        characters_printed: laid.charactersPrinted,
        characters_cut: laid.charactersCut,
      });
    }
  }

  /** An element that prints a field without characters: a picture, a color, a list, a switch. */
  fieldUsed(code: string): void {
    this.#sumsOf(code).occurrences += 1;
  }

  rowsPrinted(count: number): void {
    this.#rowsPrinted += count;
  }

  /** A list whose rows are all placed or left out; `rows_printed` were counted one by one. */
  list(entry: ReportedList): void {
    this.#rowsLeftOut += entry.rows_left_out;
    this.#lists.push(entry);
  }

  imageLoaded(picture: Exclude<PictureResource, { readonly kind: "failed" }>): void {
    this.#imagesLoaded += 1;
    for (const name of picture.kind === "artwork" ? picture.substitutedFonts : []) {
      this.#substituted.add(name);
    }
  }

  imageFailed(elementId: string, field: string | null, reason: PictureFailure): void {
    this.#images.push({ element_id: elementId, field, page_number: this.pageNumber, reason });
  }

  linkPrinted(): void {
    this.#linksPrinted += 1;
  }

  linkLeftOut(elementId: string, reason: LinkReason): void {
    this.#links.push({ element_id: elementId, reason });
  }

  elementsLeftOut(count: number): void {
    this.#elementsLeftOut += count;
  }

  note(code: LayoutNote["code"], elementId: string): void {
    this.notes.push({ code, element_id: elementId, page_number: this.pageNumber });
  }

  /** Notes what lies outside the page: all of it, or for texts a part. */
  noteOutside(
    elementId: string,
    corners: readonly Point[],
    { isPartEnough }: { readonly isPartEnough: boolean },
  ): void {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of corners) {
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    const { width, height } = this.pageSize;
    const isOutside = isPartEnough
      ? left < -ROUNDING ||
        top < -ROUNDING ||
        right > width + ROUNDING ||
        bottom > height + ROUNDING
      : right <= 0 || bottom <= 0 || left >= width || top >= height;
    if (isOutside) {
      this.note("outside_page", elementId);
    }
  }

  facts(pageCount: number): LayoutFacts {
    const charactersCut = this.#characters - this.#charactersPrinted;
    const missing = [...this.#missing.values()].reduce((sum, count) => sum + count, 0);
    const isComplete =
      this.#textsCut === 0 &&
      charactersCut === 0 &&
      !this.#hasOverflow &&
      this.#rowsLeftOut === 0 &&
      this.#elementsLeftOut === 0 &&
      this.#images.length === 0 &&
      this.#links.length === 0 &&
      missing === 0 &&
      this.#substituted.size === 0;
    return {
      status: isComplete ? "ok" : "warnings",
      page_count: pageCount,
      rows_printed: this.#rowsPrinted,
      rows_left_out: this.#rowsLeftOut,
      images_loaded: this.#imagesLoaded,
      images_failed: this.#images.length,
      texts_total: this.#textsTotal,
      texts_shrunk: this.#textsShrunk,
      texts_cut: this.#textsCut,
      characters_total: this.#characters,
      characters_printed: this.#charactersPrinted,
      characters_cut: charactersCut,
      links_printed: this.#linksPrinted,
      links_left_out: this.#links.length,
      missing_glyphs: missing,
      elements_left_out: this.#elementsLeftOut,
      texts: this.#texts,
      lists: this.#lists,
      images: this.#images,
      links: this.#links,
      glyphs: [...this.#missing]
        .sort(([a], [b]) => a - b)
        .map(([codePoint, count]) => ({ character: hexName(codePoint), count })),
      fonts_substituted: [...this.#substituted].sort(),
      fields: [...this.#fields].map(([code, sums]) => ({ code, ...sums })),
      values_ignored: [...this.#valuesIgnored],
    };
  }

  #sumsOf(code: string): FieldSums {
    let sums = this.#fields.get(code);
    if (sums === undefined) {
      sums = { occurrences: 0, characters: 0, printed: 0, cut: 0 };
      this.#fields.set(code, sums);
    }
    return sums;
  }
}

/** `U+00E9`. */
function hexName(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

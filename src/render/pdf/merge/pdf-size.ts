import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { pdfTooLarge } from "./merge-errors.ts";

/** Pages that a PDF of several documents may have. */
export const PDF_PAGES_MAX = LIMITS.merged_pages.value;
const BYTES_MAX = LIMITS.merged_pdf.value;

/** Counts the pages and bytes of a PDF that is made of several documents. Throws NodeError `PDF_TOO_LARGE`. */
export class PdfSize {
  #pages = 0;
  #bytes = 0;

  addPages(count: number): void {
    this.#pages += count;
    if (this.#pages > PDF_PAGES_MAX) {
      throw pdfTooLarge(`more than ${PDF_PAGES_MAX} pages`);
    }
  }

  *counted(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
    for (const piece of pieces) {
      yield this.#count(piece);
    }
  }

  async *countedLater(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      yield this.#count(piece);
    }
  }

  #count(piece: Uint8Array): Uint8Array {
    this.#bytes += piece.length;
    if (this.#bytes > BYTES_MAX) {
      throw pdfTooLarge(`more than ${BYTES_MAX / 1_000_000} MB`);
    }
    return piece;
  }
}

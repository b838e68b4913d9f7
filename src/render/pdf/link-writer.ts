import type { DisplayLink, Point } from "../../templates/display-list.ts";
import type { ObjectWriter, Ref } from "./object-writer.ts";
import type { PDFArray, PDFDict } from "pdf-lib";
import {
  arrayOf,
  asciiOf,
  dictOf,
  lengthsOf,
  type PdfEntries,
  refOf,
  refsOf,
} from "./pdf-objects.ts";

interface WaitingLink {
  readonly ref: Ref;
  readonly corners: readonly Point[];
  readonly pageHeight: number;
  readonly pageNumber: number;
}

/** Writes links as annotations (ISO 32000-1 §12.5.6.5). */
export class LinkWriter {
  readonly #objects: ObjectWriter;
  readonly #pages = new Map<number, Ref>();
  /** Links to pages wait until it is known which pages there are. */
  readonly #waiting: WaitingLink[] = [];

  constructor(objects: ObjectWriter) {
    this.#objects = objects;
  }

  /** The object of a page that is about to be written. */
  pageRef(pageNumber: number): Ref {
    const ref = this.#objects.reserve();
    this.#pages.set(pageNumber, ref);
    return ref;
  }

  /** The page's `/Annots`; undefined without links. */
  add(links: readonly DisplayLink[], pageHeight: number): PDFArray | undefined {
    const refs = links.map(({ corners, target }) => {
      if (target.kind === "url") {
        const A = dictOf({ S: "URI", URI: asciiOf(asciiUrl(target.url)) });
        return this.#objects.add(annotation(corners, pageHeight, { A }));
      }
      const ref = this.#objects.reserve();
      this.#waiting.push({ ref, corners, pageHeight, pageNumber: target.pageNumber });
      return ref;
    });
    return refs.length === 0 ? undefined : refsOf(refs);
  }

  /** After the last page. A link to a page that is not in the file leads nowhere. */
  finish(): void {
    for (const { ref, corners, pageHeight, pageNumber } of this.#waiting) {
      const page = this.#pages.get(pageNumber);
      const Dest = page === undefined ? undefined : arrayOf([refOf(page), "Fit"]);
      this.#objects.add(annotation(corners, pageHeight, { Dest }), ref);
    }
  }
}

function annotation(corners: readonly Point[], pageHeight: number, target: PdfEntries): PDFDict {
  return dictOf({
    Type: "Annot",
    Subtype: "Link",
    Border: arrayOf([0, 0, 0]),
    F: 4,
    ...areaOf(corners, pageHeight),
    ...target,
  });
}

function areaOf(
  corners: readonly Point[],
  pageHeight: number,
): { readonly Rect: PDFArray; readonly QuadPoints?: PDFArray } {
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => pageHeight - y);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  const Rect = lengthsOf([x0, y0, x1, y1]);
  const isUpright =
    corners.every(({ x }) => x === x0 || x === x1) && ys.every((y) => y === y0 || y === y1);
  if (isUpright) {
    return { Rect };
  }
  // Readers take the last two corners in the order of Adobe's files, not of the standard.
  const points = [0, 1, 3, 2].flatMap((i) => [xs[i] ?? 0, ys[i] ?? 0]);
  return { Rect, QuadPoints: lengthsOf(points) };
}

/** A URI is ASCII (RFC 3986): other characters are percent-encoded, and what is encoded stays. */
function asciiUrl(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

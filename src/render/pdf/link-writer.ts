import type { DisplayLink, Point } from "../../templates/display-list.ts";
import type { ObjectWriter, Ref } from "./object-writer.ts";
import { asciiString, num } from "./pdf-syntax.ts";

/** Writes links as annotations (ISO 32000-1 §12.5.6.5). */
export class LinkWriter {
  readonly #objects: ObjectWriter;
  readonly #pages = new Map<number, Ref>();
  /** Links to pages wait until it is known which pages there are. */
  readonly #waiting: { readonly ref: Ref; readonly body: string; readonly pageNumber: number }[] =
    [];

  constructor(objects: ObjectWriter) {
    this.#objects = objects;
  }

  /** The object of a page that is about to be written. */
  pageRef(pageNumber: number): Ref {
    const ref = this.#objects.reserve();
    this.#pages.set(pageNumber, ref);
    return ref;
  }

  /** The page's `/Annots`; "" without links. */
  add(links: readonly DisplayLink[], pageHeight: number): string {
    const refs = links.map(({ corners, target }) => {
      const body = `<</Type/Annot/Subtype/Link/Border[0 0 0]/F 4${areaText(corners, pageHeight)}`;
      if (target.kind === "url") {
        return this.#objects.add(`${body}/A<</S/URI/URI${asciiString(asciiUrl(target.url))}>>>>`);
      }
      const ref = this.#objects.reserve();
      this.#waiting.push({ ref, body, pageNumber: target.pageNumber });
      return ref;
    });
    return refs.length === 0 ? "" : `/Annots[${refs.map((ref) => `${ref} 0 R`).join(" ")}]`;
  }

  /** After the last page. A link to a page that is not in the file leads nowhere. */
  finish(): void {
    for (const { ref, body, pageNumber } of this.#waiting) {
      const page = this.#pages.get(pageNumber);
      this.#objects.add(`${body}${page === undefined ? "" : `/Dest[${page} 0 R/Fit]`}>>`, ref);
    }
  }
}

function areaText(corners: readonly Point[], pageHeight: number): string {
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => pageHeight - y);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  const rect = `/Rect[${num(x0)} ${num(y0)} ${num(x1)} ${num(y1)}]`;
  const isUpright =
    corners.every(({ x }) => x === x0 || x === x1) && ys.every((y) => y === y0 || y === y1);
  if (isUpright) {
    return rect;
  }
  // Readers take the last two corners in the order of Adobe's files, not of the standard.
  const points = [0, 1, 3, 2].map((i) => `${num(xs[i] ?? 0)} ${num(ys[i] ?? 0)}`);
  return `${rect}/QuadPoints[${points.join(" ")}]`;
}

/** A URI is ASCII (RFC 3986): other characters are percent-encoded, and what is encoded stays. */
function asciiUrl(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { pdfUnreadable } from "./merge-errors.ts";

/** Attributes that a page takes from the nodes above it (ISO 32000-1 table 30). */
const INHERITED = ["Resources", "MediaBox", "CropBox", "Rotate"] as const;
/** Levels of a page tree; real ones have three. */
const DEPTH_MAX = 60;

/** A page's own entries and those that it inherits, by name. */
export type PageEntries = ReadonlyMap<string, PDFObject>;

/**
 * The pages of a document in order. Throws NodeError `PDF_UNREADABLE` if there is none, if the tree has a cycle, or if a
 * branch of it is missing: a page would be left out without a word.
 */
export function readPages(context: PDFContext, name: string, pagesMax: number): PageEntries[] {
  const root = context.lookup(context.trailerInfo.Root);
  const tree = root instanceof PDFDict ? root.get(PDFName.of("Pages")) : undefined;
  const pages: PageEntries[] = [];
  const above = new Set<PDFObject>();
  const visit = (node: PDFObject | undefined, inherited: PageEntries): void => {
    const dict = node instanceof PDFRef ? context.lookup(node) : node;
    if (!(dict instanceof PDFDict) || above.has(dict) || above.size > DEPTH_MAX) {
      throw pdfUnreadable(name, "has a page tree that is damaged");
    }
    const entries = new Map(inherited);
    for (const key of INHERITED) {
      const own = dict.get(PDFName.of(key));
      if (own !== undefined) {
        entries.set(key, own);
      }
    }
    const kids = dict.lookup(PDFName.of("Kids"));
    if (!(kids instanceof PDFArray)) {
      for (const [key, value] of dict.entries()) {
        entries.set(key.decodeText(), value);
      }
      pages.push(entries);
      return;
    }
    above.add(dict);
    for (const kid of kids.asArray()) {
      if (pages.length <= pagesMax) {
        visit(kid, entries);
      }
    }
    above.delete(dict);
  };
  visit(tree, new Map());
  if (pages.length === 0) {
    throw pdfUnreadable(name, "has no page");
  }
  return pages;
}

import { PDFArray, type PDFContext, PDFDict, PDFHexString, PDFName, PDFString } from "pdf-lib";
import type { ObjectWriter, Ref } from "../object-writer.ts";
import { arrayOf, dictOf, type PdfValue, refOf } from "../pdf-objects.ts";
import { ObjectCopier } from "./object-copier.ts";
import { parsePdf } from "./parse-pdf.ts";
import { type PageEntries, readPages } from "./read-pages.ts";
import { PDF_PAGES_MAX } from "./pdf-size.ts";
import type { StreamBodies } from "./stream-bodies.ts";

/** What of a page is kept: its sizes, its turn, its content. */
const KEPT = [
  "MediaBox",
  "CropBox",
  "BleedBox",
  "TrimBox",
  "ArtBox",
  "Rotate",
  "UserUnit",
  "Resources",
  "Contents",
  "Group",
] as const;
/** What of a link is kept, beside its address. */
const KEPT_OF_LINKS = ["Rect", "QuadPoints", "Border", "BS", "C", "F", "H"] as const;

/** A document to merge, and what messages call it ("Document 2"). */
export interface MergedDocument {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Of a document that is too large for memory: `bytes` are its outline then. */
  readonly bodies?: StreamBodies;
}

/**
 * Writes the pages of a document below `tree`, in order, with all that they need, and returns them. The document is in
 * memory meanwhile, but for its `bodies`. Throws NodeError `PDF_UNREADABLE` or `PDF_ENCRYPTED`; `pieces` throw what
 * the source of `bodies` throws.
 */
export async function copyPages(
  { name, bytes, bodies }: MergedDocument,
  objects: ObjectWriter,
  tree: Ref,
): Promise<{ readonly refs: readonly Ref[]; readonly pieces: AsyncIterable<Uint8Array> }> {
  const context = await parsePdf(bytes, name, bodies);
  const isCut = !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("startxref");
  const copier = new ObjectCopier(context, objects, name, { isCut, bodies });
  const refs: Ref[] = [];
  for (const page of readPages(context, name, PDF_PAGES_MAX)) {
    refs.push(objects.add(pageOf(context, page, copier, tree)));
  }
  return { refs, pieces: copier.copyReferred() };
}

function pageOf(context: PDFContext, page: PageEntries, copier: ObjectCopier, tree: Ref): PDFDict {
  const annotations = page.get("Annots");
  const list = annotations === undefined ? undefined : lookup(context, annotations);
  const kept: Record<string, PdfValue> = {};
  for (const key of KEPT) {
    const value = page.get(key);
    if (value !== undefined) {
      kept[key] = copier.copy(value);
    }
  }
  // A page must have both; readers draw pages without them as Letter, and empty.
  kept["MediaBox"] ??= arrayOf([0, 0, 612, 792]);
  kept["Resources"] ??= dictOf({});
  const links = list instanceof PDFArray ? linksOf(context, list, copier) : [];
  return dictOf({
    Type: "Page",
    Parent: refOf(tree),
    ...kept,
    Annots: links.length === 0 ? undefined : arrayOf(links),
  });
}

/** Links to addresses. */
function linksOf(context: PDFContext, list: PDFArray, copier: ObjectCopier): PDFDict[] {
  const links: PDFDict[] = [];
  for (const one of list.asArray()) {
    const link = lookup(context, one);
    if (!(link instanceof PDFDict) || link.lookup(PDFName.of("Subtype")) !== PDFName.of("Link")) {
      continue;
    }
    const action = link.lookup(PDFName.of("A"));
    const uri = action instanceof PDFDict ? action.lookup(PDFName.of("URI")) : undefined;
    if (!(uri instanceof PDFString || uri instanceof PDFHexString)) {
      continue;
    }
    const kept: Record<string, PdfValue> = {};
    for (const key of KEPT_OF_LINKS) {
      const value = link.get(PDFName.of(key));
      if (value !== undefined) {
        kept[key] = copier.copy(value);
      }
    }
    const A = dictOf({ S: "URI", URI: copier.copy(uri) });
    links.push(dictOf({ Type: "Annot", Subtype: "Link", ...kept, A }));
  }
  return links;
}

function lookup(context: PDFContext, object: Parameters<PDFContext["lookup"]>[0]) {
  return context.lookup(object);
}

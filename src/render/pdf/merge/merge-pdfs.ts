import { PDFArray, type PDFContext, PDFDict, PDFHexString, PDFName, PDFString } from "pdf-lib";
import { ObjectWriter, type Ref } from "../object-writer.ts";
import { asciiString, hexString } from "../pdf-syntax.ts";
import { pdfTooLarge } from "./merge-errors.ts";
import { ObjectCopier } from "./object-copier.ts";
import { parsePdf } from "./parse-pdf.ts";
import { type PageEntries, readPages } from "./read-pages.ts";

const PAGES_MAX = 2_000;
const BYTES_MAX = 250_000_000;
const ID_BYTES = 16;

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
}

/**
 * Joins the pages of documents in order (docs/contract/templates.md#pdf), one document in memory at a time, and yields
 * the bytes. Sizes, turns, boxes and links to addresses are kept; outlines, forms, other annotations and named
 * destinations are left out. Equal documents and ids give equal bytes. Throws NodeError `PDF_UNREADABLE`,
 * `PDF_ENCRYPTED` or `PDF_TOO_LARGE`.
 */
export async function* mergePdfs(
  documents: Iterable<MergedDocument> | AsyncIterable<MergedDocument>,
  id: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const objects = new ObjectWriter("1.7");
  const tree = objects.reserve();
  const refs: Ref[] = [];
  let written = 0;
  const counted = (piece: Uint8Array): Uint8Array => {
    written += piece.length;
    if (written > BYTES_MAX) {
      throw pdfTooLarge(`more than ${BYTES_MAX / 1_000_000} MB`);
    }
    return piece;
  };
  for await (const { name, bytes } of documents) {
    const context = await parsePdf(bytes, name);
    const copier = new ObjectCopier(context, objects, name);
    for (const page of readPages(context, name, PAGES_MAX)) {
      if (refs.length === PAGES_MAX) {
        throw pdfTooLarge(`more than ${PAGES_MAX} pages`);
      }
      refs.push(objects.add(pageText(context, page, copier, tree)));
    }
    for (const piece of copier.copyReferred()) {
      yield counted(piece);
    }
  }
  const kids = refs.map((ref) => `${ref} 0 R`).join(" ");
  objects.add(`<</Type/Pages/Count ${refs.length}/Kids[${kids}]>>`, tree);
  const root = objects.add(`<</Type/Catalog/Pages ${tree} 0 R>>`);
  const info = objects.add(`<</Producer${asciiString("Edgeloom")}>>`);
  objects.finish(root, info, hexString(id.subarray(0, ID_BYTES)));
  for (const piece of objects.take()) {
    yield counted(piece);
  }
}

function pageText(context: PDFContext, page: PageEntries, copier: ObjectCopier, tree: Ref): string {
  let text = `<</Type/Page/Parent ${tree} 0 R`;
  for (const key of KEPT) {
    const value = page.get(key);
    if (value !== undefined) {
      text += `/${key} ${copier.text(value)}`;
    }
  }
  // A page must have both; readers draw pages without them as Letter, and empty.
  text += page.has("MediaBox") ? "" : "/MediaBox[0 0 612 792]";
  text += page.has("Resources") ? "" : "/Resources<<>>";
  const annotations = page.get("Annots");
  const list = annotations === undefined ? undefined : lookup(context, annotations);
  const links = list instanceof PDFArray ? linkTexts(context, list, copier) : [];
  return `${text}${links.length === 0 ? "" : `/Annots[${links.join("")}]`}>>`;
}

/** Links to addresses. */
function linkTexts(context: PDFContext, list: PDFArray, copier: ObjectCopier): string[] {
  const texts: string[] = [];
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
    let text = "<</Type/Annot/Subtype/Link";
    for (const key of KEPT_OF_LINKS) {
      const value = link.get(PDFName.of(key));
      text += value === undefined ? "" : `/${key} ${copier.text(value)}`;
    }
    texts.push(`${text}/A<</S/URI/URI${copier.text(uri)}>>>>`);
  }
  return texts;
}

function lookup(context: PDFContext, object: Parameters<PDFContext["lookup"]>[0]) {
  return context.lookup(object);
}

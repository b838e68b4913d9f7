import { ObjectWriter, type Ref } from "../object-writer.ts";
import { asciiString, hexString } from "../pdf-syntax.ts";
import { copyPages, type MergedDocument } from "./copy-pages.ts";
import { PdfSize } from "./pdf-size.ts";

const ID_BYTES = 16;

/**
 * Joins the pages of documents in order (docs/contract/templates.md#pdf), one document in memory at a time, and yields
 * the bytes. Sizes, turns, boxes and links to addresses are kept; outlines, forms, other annotations and named
 * destinations are left out. Equal documents and ids give equal bytes. Throws NodeError `PDF_UNREADABLE`,
 * `PDF_ENCRYPTED`, `FILE_TOO_LARGE` or `PDF_TOO_LARGE`, and what the source of a document's bodies throws.
 */
export async function* mergePdfs(
  documents: Iterable<MergedDocument> | AsyncIterable<MergedDocument>,
  id: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const objects = new ObjectWriter("1.7");
  const tree = objects.reserve();
  const size = new PdfSize();
  const all: Ref[] = [];
  for await (const document of documents) {
    const { refs, pieces } = await copyPages(document, objects, tree);
    size.addPages(refs.length);
    all.push(...refs);
    yield* size.countedLater(pieces);
  }
  const kids = all.map((ref) => `${ref} 0 R`).join(" ");
  objects.add(`<</Type/Pages/Count ${all.length}/Kids[${kids}]>>`, tree);
  const root = objects.add(`<</Type/Catalog/Pages ${tree} 0 R>>`);
  const info = objects.add(`<</Producer${asciiString("Edgeloom")}>>`);
  objects.finish(root, info, hexString(id.subarray(0, ID_BYTES)));
  yield* size.counted(objects.take());
}

import { ObjectWriter, type Ref } from "../object-writer.ts";
import { asciiOf, bytesOf, dictOf, refOf, refsOf } from "../pdf-objects.ts";
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
  objects.add(dictOf({ Type: "Pages", Count: all.length, Kids: refsOf(all) }), tree);
  const root = objects.add(dictOf({ Type: "Catalog", Pages: refOf(tree) }));
  const info = objects.add(dictOf({ Producer: asciiOf("Edgeloom") }));
  objects.finish(root, info, bytesOf(id.subarray(0, ID_BYTES)));
  yield* size.counted(objects.take());
}

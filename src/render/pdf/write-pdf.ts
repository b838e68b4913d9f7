import type { PDFArray, PDFDict } from "pdf-lib";
import type { DisplayItem, DisplayPage } from "../../templates/display-list.ts";
import { ContentWriter, transparencyGroup } from "./content-writer.ts";
import { copyPages, type MergedDocument } from "./merge/copy-pages.ts";
import { PdfSize } from "./merge/pdf-size.ts";
import { LinkWriter } from "./link-writer.ts";
import { PdfDocument } from "./pdf-document.ts";
import type { Ref } from "./object-writer.ts";
import type { PdfOptions, PdfResources } from "./pdf-resources.ts";
import {
  asciiOf,
  bytesOf,
  dateOf,
  dictOf,
  lengthsOf,
  refOf,
  refsOf,
  textOf,
} from "./pdf-objects.ts";
import { hexDigits } from "./pdf-syntax.ts";
import { xmpPacket } from "./xmp.ts";

/** Bytes of `/ID`. */
const ID_BYTES = 16;

/** A page that is drawn, or a document whose pages are copied. */
export type PdfPart = DisplayPage | MergedDocument;

/**
 * Writes pages as a PDF 1.7, or 1.6 as PDF/X-4 (docs/contract/templates.md#pdf), in pieces: each picture that a page is
 * the first to show, then the page, before the next is asked for; the fonts follow the last one. Equal parts,
 * resources and options give equal bytes. `options.id` is read last. Throws what `resources` throws, NodeError
 * `PDF_TOO_LARGE`, and for documents `PDF_UNREADABLE` and `PDF_ENCRYPTED`.
 */
export async function* writePdf(
  parts: Iterable<PdfPart> | AsyncIterable<PdfPart>,
  resources: PdfResources,
  given: PdfOptions,
): AsyncGenerator<Uint8Array> {
  const options = withTitle(given);
  const document = new PdfDocument(resources, options.mode);
  const { objects } = document;
  const tree = objects.reserve();
  const refs: Ref[] = [];
  const links = new LinkWriter(objects);
  const size = new PdfSize();
  for await (const page of parts) {
    if ("bytes" in page) {
      const copied = await copyPages(page, objects, tree);
      size.addPages(copied.refs.length);
      refs.push(...copied.refs);
      yield* size.countedLater(copied.pieces);
      continue;
    }
    size.addPages(1);
    for await (const pieces of embed(document, page.items)) {
      yield* size.counted(pieces);
    }
    const ref = links.pageRef(page.pageNumber);
    refs.push(ref);
    // PDF/X-4 allows no annotation on the page (ISO 15930-7 §6.17); the layout has counted the links as left out.
    const drawn = options.mode.kind === "standard" ? page.links : [];
    const annotations = links.add(drawn, page.height);
    objects.add(pageOf(document, page, tree, annotations), ref);
    document.endPage();
    yield* size.counted(objects.take());
  }
  links.finish();
  document.writeFonts();
  objects.add(dictOf({ Type: "Pages", Count: refs.length, Kids: refsOf(refs) }), tree);
  writeEnd(document, tree, options);
  yield* size.counted(objects.take());
}

/** PDF/X-4 requires a title (ISO 15930-7 §6.7): that of a document without one is its template. */
function withTitle(options: PdfOptions): PdfOptions {
  const { metadata, mode, origin } = options;
  return mode.kind === "standard" || metadata.title !== ""
    ? options
    : { ...options, metadata: { ...metadata, title: origin.template } };
}

/** Yields the bytes of each picture before the next is read. */
async function* embed(
  document: PdfDocument,
  items: readonly DisplayItem[],
): AsyncGenerator<readonly Uint8Array[]> {
  for (const item of items) {
    if (item.kind === "group") {
      yield* embed(document, item.items);
    } else if (item.kind === "picture") {
      yield* document.embedPicture(item);
    } else if (item.kind === "artwork") {
      await document.loadArtwork(item.artwork);
    }
  }
}

function pageOf(
  document: PdfDocument,
  { width, height, items }: DisplayPage,
  tree: Ref,
  annotations: PDFArray | undefined,
): PDFDict {
  const content = new ContentWriter(document, [0, 0, width, height], "page");
  content.transform([1, 0, 0, -1, 0, height]);
  content.draw(items);
  const contents = document.objects.addDeflated({}, content.text());
  const box = lengthsOf([0, 0, width, height]);
  const outerBox = document.profile === undefined ? undefined : box;
  const isComposed = document.profile !== undefined || content.hasTransparency;
  return dictOf({
    Type: "Page",
    Parent: refOf(tree),
    MediaBox: box,
    TrimBox: outerBox,
    BleedBox: outerBox,
    Contents: refOf(contents),
    Resources: content.scope.dictionary(),
    Group: isComposed ? transparencyGroup(document.groupColorSpace) : undefined,
    Annots: annotations,
  });
}

function writeEnd(document: PdfDocument, tree: Ref, options: PdfOptions): void {
  const { objects, profile } = document;
  const { metadata, mode } = options;
  const digest = options.id.subarray(0, ID_BYTES);
  const metadataRef = objects.addStream({ Type: "Metadata", Subtype: "XML" }, [
    new TextEncoder().encode(xmpPacket(options, uuidText(hexDigits(digest)))),
  ]);
  let intents: PDFArray | undefined;
  if (mode.kind === "pdfx4" && profile !== undefined) {
    const intent = objects.add(
      dictOf({
        Type: "OutputIntent",
        S: "GTS_PDFX",
        OutputConditionIdentifier: textOf(mode.outputConditionIdentifier),
        Info: textOf(mode.profileName),
        DestOutputProfile: refOf(profile.ref),
      }),
    );
    intents = refsOf([intent]);
  }
  const root = objects.add(
    dictOf({
      Type: "Catalog",
      Pages: refOf(tree),
      Metadata: refOf(metadataRef),
      OutputIntents: intents,
    }),
  );
  const given = (text: string) => (text === "" ? undefined : textOf(text));
  const info = objects.add(
    dictOf({
      Title: given(metadata.title),
      Author: given(metadata.author),
      Subject: given(metadata.subject),
      Keywords: given(metadata.keywords.join(", ")),
      Producer: asciiOf("Edgeloom"),
      ...(mode.kind === "pdfx4" && {
        CreationDate: dateOf(mode.date),
        ModDate: dateOf(mode.date),
        GTS_PDFXVersion: asciiOf("PDF/X-4"),
        Trapped: "False",
      }),
    }),
  );
  objects.finish(root, info, bytesOf(digest));
}

/** 32 hex digits with dashes. */
function uuidText(hex: string): string {
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

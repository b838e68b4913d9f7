import { PDFDict, PDFDocument, PDFName } from "pdf-lib";

/** The PostScript names of the fonts of a PDF, without the tags of their subsets, in alphabetical order. */
export async function fontNames(pdf: Uint8Array): Promise<string[]> {
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  const names = new Set<string>();
  for (const [, object] of document.context.enumerateIndirectObjects()) {
    const name = object instanceof PDFDict ? object.get(PDFName.of("BaseFont")) : undefined;
    if (name instanceof PDFName) {
      names.add(name.decodeText().replace(/^[A-Z]{6}\+/, ""));
    }
  }
  return [...names].toSorted();
}

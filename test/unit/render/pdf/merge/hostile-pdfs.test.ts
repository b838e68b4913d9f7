/** Merging of PDFs that are damaged, hostile or unusual; each page of a merged file is drawn as its source's. */
import { describe, expect, it } from "vitest";
import { NodeError } from "../../../../../src/lib/errors/node-error.ts";
import { PageDrawer } from "../../../../../src/render/pages/page-drawer.ts";
import { mergePdfs } from "../../../../../src/render/pdf/merge/merge-pdfs.ts";
import { compiledPackageFile } from "../../../../support/compiled-package-file.ts";
import { hostilePdfs } from "../../../../support/pdf/hostile-pdfs.ts";
import { sizeOf } from "../../../../support/sizes.ts";
import { joined } from "../../../../support/pdf/plain-options.ts";
import { imageCodecs } from "../../../../support/images/wasm-modules.ts";

const drawer = new PageDrawer(
  compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
  imageCodecs.pixels,
);
const ID = new Uint8Array(16).fill(7);
const TIME_MAX_MS = 10_000;
const SIDE = 64;

const merge = (...files: readonly Uint8Array[]) =>
  joined(
    mergePdfs(
      files.map((bytes, i) => ({ name: `Document ${i + 1}`, bytes })),
      ID,
    ),
  );

/** PNGs of the first pages. */
function drawn(pdf: Uint8Array, most = 3): Promise<Buffer[]> {
  return drawer.use([pdf], (document) =>
    Array.from({ length: Math.min(most, document.pageCount) }, (_, index) =>
      Buffer.concat([...document.draw(index, SIDE).pieces()].map((piece) => piece.slice())),
    ),
  );
}

const HOSTILE_PDFS = hostilePdfs(sizeOf("mergedObjects"));

describe("merging", () => {
  it("has a corpus of at least 40 files", () => {
    expect(new Set(HOSTILE_PDFS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(HOSTILE_PDFS)("a file with $name", async ({ make, gives }) => {
    const source = await make();
    const began = performance.now();
    if (typeof gives === "string") {
      const error: unknown = await merge(source).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NodeError);
      expect(error).toMatchObject({ code: gives, retryable: false });
    } else {
      const merged = await merge(source);
      expect(performance.now() - began).toBeLessThan(TIME_MAX_MS);
      const pages = await drawn(merged);
      expect(pages.length).toBe(gives);
      expect(pages).toEqual(await drawn(source));
    }
    expect(performance.now() - began).toBeLessThan(TIME_MAX_MS);
  });
});

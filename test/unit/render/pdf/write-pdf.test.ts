import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { describe, expect, it } from "vitest";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";
import type { DisplayItem, DisplayPage } from "../../../../src/templates/display-list.ts";
import {
  NO_RESOURCES,
  PLAIN_OPTIONS,
  joined,
  pageOf,
  rectangle,
} from "../../../support/pdf/plain-options.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { SAME_BYTES, digestOf, shapesAndPicture } from "../../../support/pdf/same-bytes.ts";

const RED = { paint: { kind: "color", rgb: [255, 0, 0] }, opacity: 1 } as const;

function box(fill: Extract<DisplayItem, { kind: "path" }>["fill"] = RED): DisplayItem {
  return {
    kind: "path",
    path: rectangle(10, 20, 30, 40),
    fillRule: "non_zero",
    fill,
    stroke: null,
    isStrokeFirst: false,
  };
}

async function write(...pages: DisplayPage[]): Promise<Uint8Array> {
  return joined(writePdf(pages, NO_RESOURCES, PLAIN_OPTIONS));
}

async function read(bytes: Uint8Array) {
  return getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
}

describe("writePdf", () => {
  it("gives equal bytes for equal pages, and asks for a page after the one before is written", async () => {
    const seen: string[] = [];
    function* pages() {
      for (const pageNumber of [1, 2]) {
        seen.push(`page ${pageNumber}`);
        yield pageOf([box()], { pageNumber });
      }
    }
    for await (const piece of writePdf(pages(), NO_RESOURCES, PLAIN_OPTIONS)) {
      seen.push(piece.length > 0 ? "bytes" : "nothing");
    }
    expect(seen.indexOf("bytes")).toBeLessThan(seen.indexOf("page 2"));
    const twice = [pageOf([box()]), pageOf([box()], { pageNumber: 2 })];
    expect(await write(...twice)).toEqual(await write(...twice));
  });

  it("copies the pages of documents between those that it draws", async () => {
    const bytes = await write(pageOf([box()], { width: 70 }));
    const cover = { name: "Cover", bytes };
    const parts = [cover, pageOf([box()], { width: 80 }), cover];
    const pdf = await read(await joined(writePdf(parts, NO_RESOURCES, PLAIN_OPTIONS)));
    const widths = [1, 2, 3].map(async (at) => (await pdf.getPage(at)).view[2]);
    expect(await Promise.all(widths)).toEqual([70, 80, 70]);
    const { fnArray } = await (await pdf.getPage(3)).getOperatorList();
    expect(fnArray.length).toBeGreaterThan(0);
    const damaged = { name: "Cover", bytes: bytes.subarray(0, 300) };
    await expect(joined(writePdf([damaged], NO_RESOURCES, PLAIN_OPTIONS))).rejects.toMatchObject({
      code: "PDF_UNREADABLE",
    });
  });

  it("gives the same bytes in every process", async () => {
    expect(await digestOf(await shapesAndPicture(imageCodecs.pixels))).toBe(SAME_BYTES);
  });

  it("writes sizes, metadata, origin and ID", async () => {
    const pdf = await read(await write(pageOf([box()], { width: 300.5, height: 20 })));
    expect((await pdf.getPage(1)).view).toEqual([0, 0, 300.5, 20]);
    const { info, metadata } = await pdf.getMetadata();
    expect(info).toMatchObject({
      PDFFormatVersion: "1.7",
      Title: "Price list (été)",
      Author: "A. Author",
      Keywords: "a, b",
      Producer: "Edgeloom",
    });
    expect(info).not.toHaveProperty("CreationDate");
    expect(metadata.getRaw()).toContain("<svc:revision>3</svc:revision>");
    expect(pdf.fingerprints[0]).toBe("00070e151c232a31383f464d545b6269");
  });

  it("names a draft, which has no revision, as one in XMP", async () => {
    const draft = { ...PLAIN_OPTIONS, origin: { ...PLAIN_OPTIONS.origin, revision: null } };
    const bytes = await joined(writePdf([pageOf([box()])], NO_RESOURCES, draft));
    const { metadata } = await (await read(bytes)).getMetadata();
    expect(metadata.getRaw()).toContain("<svc:revision>draft</svc:revision>");
  });

  it("writes links to addresses and pages, and one to a page that is left out leads nowhere", async () => {
    const corners = [
      { x: 10, y: 10 },
      { x: 60, y: 10 },
      { x: 60, y: 30 },
      { x: 10, y: 30 },
    ] as const;
    const links = [
      { corners, target: { kind: "url", url: "https://example.com/é(1)?q=%20" } },
      { corners, target: { kind: "page", pageNumber: 2 } },
      { corners, target: { kind: "page", pageNumber: 9 } },
    ] as const;
    const pdf = await read(await write(pageOf([], { links }), pageOf([], { pageNumber: 2 })));
    const found = await (await pdf.getPage(1)).getAnnotations();
    expect(found.map(({ url }) => url)).toEqual([
      "https://example.com/%C3%A9(1)?q=%20",
      undefined,
      undefined,
    ]);
    expect(found[0]?.rect).toEqual([10, 70, 60, 90]);
    const [page] = (found[1] as { dest: [{ num: number; gen: number }] }).dest;
    expect(await pdf.getPageIndex(page)).toBe(1);
  });

  it("composes a page only if something on it is transparent", async () => {
    const half = { ...RED, opacity: 0.5 };
    const text = async (item: DisplayItem) =>
      Buffer.from(await write(pageOf([item]))).toString("latin1");
    const [opaque, seeThrough] = [await text(box()), await text(box(half))];
    expect(opaque.length).toBeLessThan(seeThrough.length);
  });
});

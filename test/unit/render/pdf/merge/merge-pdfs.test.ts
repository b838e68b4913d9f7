import { PDFDocument, PDFName, PDFString, StandardFonts, degrees } from "pdf-lib";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { deflateSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { mergePdfs } from "../../../../../src/render/pdf/merge/merge-pdfs.ts";
import { joined } from "../../../../support/pdf/plain-options.ts";

const ID = new Uint8Array(16).fill(7);

/** A document of other software: a page for each text. */
async function documentOf(texts: readonly string[], useObjectStreams = true): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of texts) {
    const page = document.addPage([300, 200]);
    page.drawText(text, { x: 20, y: 100, font, size: 20 });
  }
  return document.save({ useObjectStreams });
}

function merge(...files: readonly Uint8Array[]): Promise<Uint8Array> {
  return joined(
    mergePdfs(
      files.map((bytes, i) => ({ name: `Document ${i + 1}`, bytes })),
      ID,
    ),
  );
}

async function read(bytes: Uint8Array) {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const texts: string[] = [];
  for (let i = 1; i <= pdf.numPages; i++) {
    const { items } = await (await pdf.getPage(i)).getTextContent();
    texts.push(items.map((item) => ("str" in item ? item.str : "")).join(""));
  }
  return { pdf, texts };
}

let plain: Uint8Array;
let packed: Uint8Array;
beforeAll(async () => {
  plain = await documentOf(["one", "two"], false);
  packed = await documentOf(["three"]);
});

function binary(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** Bytes with a text replaced by one of the same length. */
function edited(
  bytes: Uint8Array,
  from: string | RegExp,
  to: (found: string) => string,
): Uint8Array {
  return Buffer.from(binary(bytes).replace(from, to), "latin1");
}

describe("mergePdfs", () => {
  it("joins pages in order, twice the same bytes", async () => {
    const merged = await merge(plain, packed, plain);
    expect((await read(merged)).texts).toEqual(["one", "two", "three", "one", "two"]);
    expect(await merge(plain, packed, plain)).toEqual(merged);
  });

  it("keeps boxes, turns, inherited attributes and links to addresses, and no other link", async () => {
    const document = await PDFDocument.create({ updateMetadata: false });
    const page = document.addPage([300, 200]);
    page.setRotation(degrees(90));
    page.setCropBox(10, 10, 200, 100);
    const { context } = document;
    const annotations = [
      {
        Type: "Annot",
        Subtype: "Link",
        Rect: [1, 2, 30, 40],
        A: { S: "URI", URI: PDFString.of("https://example.com/\\(a\\)") },
      },
      { Type: "Annot", Subtype: "Link", Rect: [1, 2, 30, 40], Dest: [page.ref, "Fit"] },
      {
        Type: "Annot",
        Subtype: "Link",
        Rect: [1, 2, 30, 40],
        A: { S: "JavaScript", JS: PDFString.of("app.alert(1)") },
      },
    ];
    page.node.set(PDFName.of("Annots"), context.obj(annotations));
    page.node.delete(PDFName.of("MediaBox"));
    document.catalog.Pages().set(PDFName.of("MediaBox"), context.obj([0, 0, 300, 200]));
    const merged = await merge(await document.save());
    const first = await (await read(merged)).pdf.getPage(1);
    expect([first.view, first.rotate]).toEqual([[10, 10, 210, 110], 90]);
    expect((await first.getAnnotations()).map(({ url }) => url)).toEqual([
      "https://example.com/(a)",
    ]);
    expect(binary(merged)).not.toContain("JavaScript");
  });

  it("opens a file that only an owner password protects, and refuses one with a user password", async () => {
    const owned = await PDFDocument.load(plain);
    owned.encrypt({ userPassword: "", ownerPassword: "secret", permissions: { printing: false } });
    const [open, closed] = [await owned.save(), await PDFDocument.load(plain)];
    expect((await read(await merge(open))).texts).toEqual(["one", "two"]);
    closed.encrypt({ userPassword: "me", ownerPassword: "secret" });
    await expect(merge(packed, await closed.save())).rejects.toMatchObject({
      code: "PDF_ENCRYPTED",
      message: expect.stringContaining("Document 2") as string,
    });
  });

  it("refuses object streams that unpack to more than their bound", async () => {
    const bomb = deflateSync(Buffer.alloc(50.5e6, 32), { level: 1 });
    const head = `%PDF-1.5\n9 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length ${bomb.length}>>stream\n`;
    const file = Buffer.concat([
      Buffer.from(head),
      bomb,
      Buffer.from("\nendstream\nendobj\n"),
      plain,
    ]);
    await expect(merge(file)).rejects.toMatchObject({ code: "PDF_UNREADABLE" });
  });

  it("reads tens of thousands of objects, and soon ends at endless ones", async () => {
    const before = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</X 10 0 R>>>>endobj
`;
    const many = Array.from({ length: 5_000 }, (_, i) => `${i + 10} 0 obj[${i + 11} 0 R]endobj\n`);
    const file = (body: string) =>
      Buffer.from(`${before}${body}trailer<</Root 1 0 R>>\nstartxref 0`);
    expect((await read(await merge(file(many.join(""))))).texts).toEqual([""]);
    for (const body of [
      "1".repeat(50_000),
      "1 0 ".repeat(10_000),
      "ab ".repeat(10_000),
      "9 0 obj ".repeat(50_000),
    ]) {
      await expect(merge(file(body))).rejects.toMatchObject({ code: "PDF_UNREADABLE" });
    }
  });

  it("reads past a wrong startxref", async () => {
    const wrong = edited(plain, /startxref\s+\d+/, (found) => found.replace(/\d/g, "9"));
    expect((await read(await merge(wrong))).texts).toEqual(["one", "two"]);
  });

  it.each([
    ["empty", () => new Uint8Array(0)],
    ["no PDF", () => new TextEncoder().encode("hello, world")],
    ["cut in its middle", () => plain.subarray(0, plain.length / 2)],
    ["cut in its pages", () => packed.subarray(0, packed.length - 700)],
    [
      "with a page tree that holds itself",
      () =>
        edited(plain, /\/Kids \[ (\d+) 0 R/, (found) =>
          found.replace(/\d+(?= 0 R)/, treeOf(plain)),
        ),
    ],
    [
      "with a page that is missing",
      () => edited(plain, /\/Kids \[ \d+ 0 R/, (found) => found.replace(/\d+(?= 0 R)/, "99")),
    ],
    [
      "with nested arrays",
      () => edited(plain, "/Contents", () => `/Group ${"[".repeat(50_000)}/Contents`),
    ],
  ])("refuses a file that is %s", async (_, bytes) => {
    await expect(merge(bytes())).rejects.toMatchObject({ code: "PDF_UNREADABLE" });
  });
});

/** The number of the page tree's object. */
function treeOf(bytes: Uint8Array): string {
  return /\/Pages (\d+) 0 R/.exec(binary(bytes))?.[1] ?? "";
}

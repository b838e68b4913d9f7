/** PDFs that are joined by ranges, without their long streams in memory, give the bytes of those that are read whole. */
import { deflateSync } from "node:zlib";
import { PDFDocument, PDFName, StandardFonts } from "pdf-lib";
import { describe, expect, it } from "vitest";
import type { ByteSource } from "../../../../../src/lib/files/byte-source.ts";
import { MemorySource } from "../../../../../src/lib/files/memory-source.ts";
import { LIMITS } from "../../../../../src/lib/limits/limits-table.ts";
import { mergePdfs } from "../../../../../src/render/pdf/merge/merge-pdfs.ts";
import { outlinePdf } from "../../../../../src/render/pdf/merge/outline-pdf.ts";
import { hostilePdfs } from "../../../../support/pdf/hostile-pdfs.ts";
import { joined } from "../../../../support/pdf/plain-options.ts";
import { sizeOf } from "../../../../support/sizes.ts";

const ID = new Uint8Array(16).fill(7);
const NAME = "Document 1";
const MB = 1024 * 1024;

const mergedWhole = (bytes: Uint8Array) => joined(mergePdfs([{ name: NAME, bytes }], ID));

async function mergedByRanges(
  source: ByteSource,
  sizes: { readonly blockBytes?: number; readonly bodyBytesMin?: number } = {},
) {
  const outline = await outlinePdf(source, NAME, sizes);
  const bytes = await joined(mergePdfs([{ name: NAME, ...outline }], ID));
  return { bytes, outline };
}

/** Pages with a text, and a long stream each. */
async function pdfOf(pages: number, bytes: number, useObjectStreams: boolean): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let number = 0; number < pages; number += 1) {
    const page = document.addPage([300, 200]);
    page.drawText(`Page ${number}`, { x: 20, y: 100, font, size: 20 });
    const noise = new Uint8Array(bytes).fill(128 + number);
    const entries = { Type: "XObject", Subtype: "Image", Width: bytes, Height: 1 };
    const picture = document.context.stream(noise, {
      ...entries,
      ColorSpace: "DeviceGray",
      BitsPerComponent: 8,
    });
    page.node.setXObject(PDFName.of("Noise"), document.context.register(picture));
  }
  return await document.save({ useObjectStreams });
}

/** With each direct length as an object of its own, as many programs write it. */
function withIndirectLengths(pdf: Uint8Array): Uint8Array {
  const texts: string[] = [];
  const text = Buffer.from(pdf)
    .toString("latin1")
    .replaceAll(/\/Length (\d+)/g, (_, digits: string) => {
      texts.push(`${9_000 + texts.length} 0 obj\n${digits}\nendobj\n`);
      return `/Length ${8_999 + texts.length} 0 R`;
    });
  const at = text.lastIndexOf("xref\n0");
  return Buffer.from(text.slice(0, at) + texts.join("") + text.slice(at), "latin1");
}

const SIZES = [{ blockBytes: 64, bodyBytesMin: 1 }, { blockBytes: 1_000, bodyBytesMin: 100 }, {}];

describe("a PDF that is joined by ranges", () => {
  it.each([
    ["objects one by one", false, (pdf: Uint8Array) => pdf],
    ["object streams", true, (pdf: Uint8Array) => pdf],
    ["lengths that are objects", false, withIndirectLengths],
  ])("has the bytes of one that is read whole: %s", async (_, useObjectStreams, change) => {
    const pdf = change(await pdfOf(3, 5_000, useObjectStreams));
    const whole = await mergedWhole(pdf);
    for (const sizes of SIZES) {
      const { bytes, outline } = await mergedByRanges(new MemorySource(pdf, "one"), sizes);
      expect(Buffer.from(bytes).equals(Buffer.from(whole))).toBe(true);
      expect(outline.bodies.count).toBeGreaterThanOrEqual(3);
      expect(outline.bytes.length).toBeLessThan(pdf.length - 3 * 4_000);
    }
  });

  it("is refused where it would be refused whole, and has the same bytes otherwise: hostile files", async () => {
    const differ: string[] = [];
    for (const { name, make } of hostilePdfs(sizeOf("mergedObjects"))) {
      const pdf = await make();
      const code = (error: unknown) => String((error as { code?: unknown }).code);
      const whole = await mergedWhole(pdf).catch(code);
      const source = new MemorySource(pdf, "one");
      const sizes = { blockBytes: 4_096, bodyBytesMin: 16 };
      const ranges = await mergedByRanges(source, sizes).then(({ bytes }) => bytes, code);
      if (!Buffer.from(ranges).equals(Buffer.from(whole))) {
        differ.push(name);
      }
    }
    expect(differ).toEqual([]);
  });

  it("finds streams wherever blocks end", async () => {
    const rest = "4 0 obj\n<</Length 5 0 R>>stream\n0123456789\nendstream\nendobj\n";
    const blockBytes = 32;
    for (let shift = 0; shift < blockBytes; shift += 1) {
      const file = Buffer.from(`%PDF-1.7\n${" ".repeat(shift)}${rest}`);
      const source = new MemorySource(file, "one");
      const { bytes, bodies } = await outlinePdf(source, NAME, { blockBytes, bodyBytesMin: 1 });
      expect(bodies.count, String(shift)).toBe(1);
      expect(Buffer.from(bytes).includes("stream\nendstream"), String(shift)).toBe(true);
    }
  });

  it("reads each block of its streams once where they are in order, and holds little of the file", async () => {
    const pdf = await pdfOf(12, MB, true);
    const reads: number[] = [];
    const stored = new MemorySource(pdf, "one");
    const source: ByteSource = {
      sizeBytes: stored.sizeBytes,
      etag: stored.etag,
      read: (from, to) => {
        reads.push(to - from);
        return stored.read(from, to);
      },
      stream: () => stored.stream(),
    };
    const { bytes, outline } = await mergedByRanges(source);
    expect(bytes.length).toBeGreaterThan(12 * MB);
    expect(outline.bytes.length).toBeLessThan(20_000);
    expect(Math.max(...reads)).toBeLessThanOrEqual(2 * MB);
    // Once for the outline and once for the copy, each of seven blocks; some are still in memory.
    expect(reads.length).toBeLessThanOrEqual(14);
  });

  it("keeps a stream whose stated length is wrong, and every stream that describes objects", async () => {
    const packed = deflateSync(Buffer.from("1 0 2 5 true false"));
    const file = Buffer.concat([
      Buffer.from(
        `%PDF-1.5\n9 0 obj\n<</Type/ObjStm/N 2/First 8/Filter/FlateDecode/Length ${packed.length}>>stream\n`,
      ),
      packed,
      Buffer.from(
        "\nendstream\nendobj\n3 0 obj\n<</Length 7>>stream\n0123456789\nendstream\nendobj\n",
      ),
      Buffer.from("4 0 obj\n<</Length 10>>stream\n0123456789\nendstream\nendobj\n"),
    ]);
    const sizes = { blockBytes: 64, bodyBytesMin: 1 };
    const { bytes, bodies } = await outlinePdf(new MemorySource(file, "one"), NAME, sizes);
    const text = Buffer.from(bytes).toString("latin1");
    expect(bodies.count).toBe(1);
    expect(text.match(/0123456789/g)).toHaveLength(1);
    expect(text).toContain("<</Length 7>>");
    expect(text).toContain("<</Length 00>>stream\n\nendstream");
  });

  it("is refused with more objects than memory has room for", async () => {
    const head = Buffer.from("%PDF-1.7\n");
    const source: ByteSource = {
      sizeBytes: 200 * MB,
      etag: "one",
      read: (from, to) => {
        const bytes = Buffer.alloc(to - from, " ");
        if (from === 0) {
          bytes.set(head);
        }
        return Promise.resolve(bytes);
      },
      stream: () => Promise.reject(new Error("It is read by ranges.")),
    };
    await expect(outlinePdf(source, NAME)).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
      message: expect.stringContaining(String(LIMITS.merged_outline.value)) as string,
    });
  });
});

/** How the renderer reads PDFs to join: whole, by ranges, or not at all. */
import { createHash } from "node:crypto";
import { PDFDocument, PDFName } from "pdf-lib";
import { beforeAll, expect, test } from "vitest";
import {
  SourceChangedError,
  SourceUnavailableError,
} from "../../../../src/lib/files/byte-source.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { mergePdfs } from "../../../../src/render/pdf/merge/merge-pdfs.ts";
import { mergeMemoryOf, readMerged } from "../../../../src/workers/renderer/read-merged.ts";
import { joined } from "../../../support/pdf/plain-options.ts";

const MB = 1024 * 1024;
const WHOLE_MAX = LIMITS.read_file.value;
const NAME = "Document 1";
/** More than the blocks that stay in memory. */
const STREAM_BYTES = 9 * MB;

const fileOf = (sizeBytes: number) =>
  new FileRef({ key: "ws_1/a.pdf", name: "a.pdf", contentType: "application/pdf", sizeBytes });

/** The reference states the size; the bytes stay few. */
const LARGE = fileOf(WHOLE_MAX + 1);

let pdf: Uint8Array;
let encrypted: Uint8Array;

beforeAll(async () => {
  const document = await PDFDocument.create({ updateMetadata: false });
  const page = document.addPage([300, 200]);
  const stream = document.context.stream(new Uint8Array(STREAM_BYTES).fill(32));
  page.node.set(PDFName.of("Contents"), document.context.register(stream));
  pdf = await document.save();
  const owned = await PDFDocument.load(pdf);
  owned.encrypt({ userPassword: "", ownerPassword: "secret", permissions: {} });
  encrypted = await owned.save();
});

/** Files of which one is stored, and may not be read whole. */
function filesOf(bytes: Uint8Array, read?: (from: number, to: number) => Promise<Uint8Array>) {
  const source = new MemorySource(bytes, "one");
  return {
    read: () => Promise.reject(new Error("It was read whole.")),
    open: () =>
      Promise.resolve({
        sizeBytes: source.sizeBytes,
        etag: source.etag,
        read: read ?? ((from: number, to: number) => source.read(from, to)),
        stream: () => source.stream(),
      }),
  };
}

const joinedOf = async (read: ReturnType<typeof readMerged>) =>
  await joined(mergePdfs([await read], new Uint8Array(16)));

test("a file of up to 32 MiB is read whole, and a larger one by ranges: to the same bytes under the same digest", async () => {
  const files = { ...filesOf(pdf), read: () => Promise.resolve(pdf) };
  const [whole, ranges] = [fileOf(WHOLE_MAX), LARGE].map((file) => readMerged(file, NAME, files));
  const sha256 = createHash("sha256").update(pdf).digest();
  expect((await whole!).sha256).toEqual(sha256);
  expect((await ranges!).sha256).toEqual(sha256);
  expect((await whole!).bodies).toBeUndefined();
  expect((await ranges!).bytes.length).toBeLessThan(2_000);
  const bytes = await joinedOf(ranges!);
  expect(bytes.length).toBeGreaterThan(STREAM_BYTES);
  expect(Buffer.from(bytes).equals(Buffer.from(await joinedOf(whole!)))).toBe(true);
});

test("a file that only an owner password protects is joined by ranges as without it", async () => {
  const plain = await joinedOf(readMerged(LARGE, NAME, filesOf(pdf)));
  const read = readMerged(LARGE, NAME, filesOf(encrypted));
  expect(Buffer.from(await joinedOf(read)).equals(Buffer.from(plain))).toBe(true);
  expect((await read).bytes.length).toBeLessThan(3_000);
});

test("a file of more than 250 MB is too large", async () => {
  const huge = fileOf(LIMITS.merged_pdf.value + 1);
  await expect(readMerged(huge, NAME, filesOf(pdf))).rejects.toMatchObject({
    code: "FILE_TOO_LARGE",
    message: expect.stringContaining("Document 1 has 250000001 bytes") as string,
  });
});

test.each([
  ["that is changed", () => new SourceChangedError(), "SOURCE_CHANGED", false],
  [
    "whose store fails",
    () => new SourceUnavailableError(new Error("down")),
    "STORAGE_UNAVAILABLE",
    true,
  ],
])("a file %s while its streams are copied fails the node", async (_, error, code, retryable) => {
  const source = new MemorySource(pdf, "one");
  let fails = false;
  const files = filesOf(pdf, (from, to) =>
    fails ? Promise.reject(error()) : source.read(from, to),
  );
  const read = await readMerged(LARGE, NAME, files);
  fails = true;
  const parts = joined(mergePdfs([read], new Uint8Array(16)));
  await expect(parts).rejects.toMatchObject({ code, retryable });
});

test("the memory of a large file is bounded, whatever its size", () => {
  expect(mergeMemoryOf(MB)).toBe(2 * MB);
  expect(mergeMemoryOf(WHOLE_MAX)).toBe(2 * WHOLE_MAX);
  expect(mergeMemoryOf(LIMITS.merged_pdf.value)).toBe(mergeMemoryOf(WHOLE_MAX + 1));
  expect(mergeMemoryOf(LIMITS.merged_pdf.value)).toBeLessThan(mergeMemoryOf(WHOLE_MAX));
});

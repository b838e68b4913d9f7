/** How large a PDF of several documents may be, and each of them (docs/contract/templates.md#joined-pdfs). */
import { expect, it } from "vitest";
import { FileRef } from "../../../../../src/lib/files/file-ref.ts";
import { LIMITS } from "../../../../../src/lib/limits/limits-table.ts";
import { PdfSize } from "../../../../../src/render/pdf/merge/pdf-size.ts";
import { readTaskFile } from "../../../../../src/storage/r2/read-task-file.ts";

const PIECE = new Uint8Array(10_000_000);

/** Counts the same piece again and again, which holds no more than one. */
function bytesOf(size: PdfSize, pieces: readonly Uint8Array[]): number {
  return [...size.counted(pieces)].reduce((sum, { length }) => sum + length, 0);
}

it("a PDF of several documents has at most 250 MB, over all of them", () => {
  const size = new PdfSize();
  const [half, last] = [Array.from({ length: 12 }, () => PIECE), [PIECE]];
  expect(bytesOf(size, half) + bytesOf(size, half) + bytesOf(size, last)).toBe(
    LIMITS.merged_pdf.value,
  );
  expect(() => bytesOf(size, [new Uint8Array(1)])).toThrow("more than 250 MB");
});

it("a file of more than 32 MiB is never read whole", async () => {
  const file = new FileRef({
    key: "ws_1/runs/large.pdf",
    name: "large.pdf",
    contentType: "application/pdf",
    sizeBytes: LIMITS.read_file.value + 1,
    sha256: "0".repeat(64),
  });
  const bucket = {
    get: () => {
      throw new Error("The file was read.");
    },
  };
  await expect(readTaskFile(bucket as never, "ws_1", file)).rejects.toMatchObject({
    code: "FILE_TOO_LARGE",
  });
});

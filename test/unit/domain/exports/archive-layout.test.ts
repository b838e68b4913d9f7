import { makeZip, predictLength } from "client-zip";
import { describe, expect, it } from "vitest";
import { ARCHIVE_BYTES_MAX, ArchiveLayout } from "../../../../src/domain/exports/archive-layout.ts";

describe("the layout of archives", () => {
  it("knows an archive's exact size", async () => {
    const files = ["a.txt", "folder/é😀.json"].map((name, i) => ({
      name,
      input: "x".repeat(i * 9),
    }));
    const layout = new ArchiveLayout();
    for (const { name, input } of files) {
      layout.add(name, input.length);
    }
    const bytes = await new Response(makeZip(files)).arrayBuffer();
    expect(layout.archives).toEqual([{ size_bytes: bytes.byteLength, file_count: 2 }]);
    expect(new ArchiveLayout().archives).toEqual([{ size_bytes: 22, file_count: 0 }]);
  });

  it("limits every archive to 2 GB, except one with a single larger file", () => {
    const layout = new ArchiveLayout();
    const gigabyte = 1_000_000_000;
    const sizes = [gigabyte, gigabyte / 2, gigabyte, 5 * gigabyte, 1, 2];
    expect(sizes.map((size, i) => layout.add(`${i}.bin`, size))).toEqual([1, 1, 2, 3, 4, 4]);
    const [first, second, huge] = layout.archives;
    expect(first!.size_bytes).toBeLessThanOrEqual(ARCHIVE_BYTES_MAX);
    expect(second!.size_bytes).toBeLessThanOrEqual(ARCHIVE_BYTES_MAX);
    expect(huge!.size_bytes).toBe(Number(predictLength([{ name: "3.bin", size: 5 * gigabyte }])));
  });

  it("splits before the number of files needs ZIP64", () => {
    const layout = new ArchiveLayout();
    for (let i = 0; i < 130_001; i++) {
      layout.add("x", 0);
    }
    expect(layout.archives.map(({ file_count }) => file_count)).toEqual([65_000, 65_000, 1]);
  });
});

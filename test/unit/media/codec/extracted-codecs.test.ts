import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXTRACTED_CODECS, extractCodec } from "../../../../scripts/extract-media-codecs.ts";
import { withMemoryRange } from "../../../../scripts/wasm-memory.ts";

const FOLDER = join(import.meta.dirname, "../../../../src/media/codec");

describe("a codec that is taken out of a package", () => {
  test.each(Object.keys(EXTRACTED_CODECS))(
    "%s is the package's with another memory and no other change",
    async (name) => {
      expect(Buffer.compare(readFileSync(join(FOLDER, name)), await extractCodec(name))).toBe(0);
    },
  );

  test("stands in the list that the script writes", () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".wasm"));
    expect(files.toSorted()).toEqual(Object.keys(EXTRACTED_CODECS).toSorted());
  });

  test("has no other memory than the one that it is given", () => {
    const module = readFileSync(join(FOLDER, "mp3-decoder.wasm"));
    expect(withMemoryRange(module, 1024 * 1024, 1024 * 1024)).toEqual(module);
    expect(withMemoryRange(module, 1088 * 1024, 1088 * 1024)).not.toEqual(module);
  });
});

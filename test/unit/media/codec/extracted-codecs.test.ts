import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXTRACTED_CODECS } from "../../../../scripts/extract-media-codecs.ts";
import { withMemoryRange } from "../../../../scripts/wasm-memory.ts";

const FOLDER = join(import.meta.dirname, "../../../../src/media/codec");

describe("a codec that is taken out of a package", () => {
  // In a process of its own: a package compiles its module once, and other tests use the packages.
  test("is the package's with another memory and no other change", () => {
    const folder = mkdtempSync(join(tmpdir(), "extracted-codecs-"));
    try {
      const script = join(import.meta.dirname, "../../../../scripts/extract-media-codecs.ts");
      execFileSync(process.execPath, [script, folder]);
      for (const name of Object.keys(EXTRACTED_CODECS)) {
        const isSame = readFileSync(join(FOLDER, name)).equals(readFileSync(join(folder, name)));
        expect([name, isSame]).toEqual([name, true]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

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

/** The committed part of the corpus, which needs no program: each file is the one whose hash is committed with it. */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SUMS, sumsOf } from "../../../scripts/media-sums.ts";

const FOLDERS = ["test/golden/media", "test/fixtures/codecs"] as const;

describe.each(FOLDERS)("the files of %s", (folder) => {
  test("are those of its list, no fewer and no more", () => {
    const listed = readFileSync(join(folder, SUMS), "utf8");
    expect(listed.split("\n").length).toBeGreaterThan(20);
    expect(sumsOf(folder)).toBe(listed);
  });

  test("are others if one of them changes, is missing or is added", () => {
    const copy = mkdtempSync(join(tmpdir(), "corpus-"));
    try {
      for (const name of readdirSync(folder)) {
        copyFileSync(join(folder, name), join(copy, name));
      }
      const listed = sumsOf(folder);
      expect(sumsOf(copy)).toBe(listed);
      const [first = ""] = readdirSync(copy).filter((name) => /\.(?:m4a|mp4)$/.test(name));
      const bytes = readFileSync(join(copy, first));
      writeFileSync(join(copy, first), bytes.fill(1, bytes.length - 1));
      expect(sumsOf(copy)).not.toBe(listed);
      rmSync(join(copy, first));
      expect(sumsOf(copy).split("\n").length).toBe(listed.split("\n").length - 1);
      writeFileSync(join(copy, "other.mp3"), "");
      expect(sumsOf(copy)).toContain("other.mp3");
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});

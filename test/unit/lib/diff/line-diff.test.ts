/** Differences of texts, judged by GNU `diff --minimal` and applied by GNU `patch`. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diffLines } from "diff";
import { describe, expect, it } from "vitest";
import { lineDiff } from "../../../../src/lib/diff/line-diff.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { IS_PROOF } from "../../../support/sizes.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const RANDOM_PAIRS = IS_PROOF ? 500 : 16;
const REAL_PAIRS = IS_PROOF ? 100 : 5;

interface Pair {
  readonly a: string;
  readonly b: string;
}

function randomPair(seed: number): Pair {
  const random = new SeededRandom(seed);
  const words = Array.from({ length: random.int(2, 30) }, (_, at) => `word ${String(at)}`);
  const text = (lines: readonly string[]) =>
    lines.join("\n") + (lines.length > 0 && random.chance(0.7) ? "\n" : "");
  const lines = Array.from({ length: random.below(90) }, () => random.pick(words));
  const changed = lines.flatMap((line) =>
    random.chance(0.12) ? (random.chance(0.4) ? [] : [random.pick(words), line]) : [line],
  );
  return { a: text(lines), b: text(changed) };
}

/** Neighbors in a folder of sources, cut so that they do not exceed the limits. */
function realPairs(): Pair[] {
  const folder = join(ROOT, "src/engine");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  return files
    .slice(0, REAL_PAIRS + 1)
    .flatMap((b, at) => (at === 0 ? [] : [{ a: files[at - 1]!, b }]));
}

const pairs = [
  { a: "", b: "" },
  { a: "x", b: "x\n" },
  { a: "", b: "x\ny\n" },
  { a: "x\r\n", b: "x\n" },
  ...Array.from({ length: RANDOM_PAIRS }, (_, at) => randomPair(at + 1)),
  ...realPairs(),
];

/** Removed and added lines by GNU `diff --minimal`, and b as GNU `patch` makes it of a, for all pairs in one process. */
function judged(unified: readonly (string | null)[]) {
  const folder = mkdtempSync(join(tmpdir(), "line-diff-"));
  try {
    pairs.forEach(({ a, b }, at) => {
      const own = join(folder, String(at));
      mkdirSync(own);
      writeFileSync(join(own, "a"), a);
      writeFileSync(join(own, "b"), b);
      const patch = unified[at];
      if (patch != null && patch !== "") {
        writeFileSync(join(own, "patch"), patch);
      }
    });
    const script = `for d in */; do cd "$d"
      diff --minimal a b > script; [ -e patch ] && patch --binary -s -o made a patch
      cd ..; done; true`;
    execFileSync("sh", ["-c", script], { cwd: folder });
    return pairs.map(({ b }, at) => {
      const read = (name: string) => readFileSync(join(folder, String(at), name), "utf8");
      const lines = (mark: string) =>
        read("script")
          .split("\n")
          .filter((line) => line.startsWith(mark)).length;
      const isPatched = unified[at] != null && unified[at] !== "";
      return {
        lines_removed: lines("<"),
        lines_added: lines(">"),
        verdict: isPatched ? (read("made") === b ? "same" : "different") : null,
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a difference of lines", () => {
  it("has as few lines as that of GNU diff, and GNU patch applies it", { timeout: 180_000 }, () => {
    const ours = pairs.map(({ a, b }) => lineDiff(a, b));
    const theirs = judged(ours.map(({ unified }) => unified));
    let applied = 0;
    theirs.forEach(({ verdict, ...counts }, at) => {
      expect([at, ours[at]]).toEqual([at, expect.objectContaining(counts)]);
      applied += verdict === null ? 0 : 1;
      expect([at, verdict ?? "same"]).toEqual([at, "same"]);
    });
    expect(applied).toBeGreaterThan(RANDOM_PAIRS / 2);
  });

  it("has as few lines as that of the package diff", { timeout: 180_000 }, () => {
    for (const [at, { a, b }] of pairs.entries()) {
      const parts = diffLines(a, b);
      const sum = (key: "added" | "removed") =>
        parts.reduce((total, part) => total + (part[key] ? part.count : 0), 0);
      const ours = lineDiff(a, b);
      expect([at, ours.lines_added, ours.lines_removed]).toEqual([
        at,
        sum("added"),
        sum("removed"),
      ]);
    }
  });

  it("counts equal lines, and has the heads and three lines of context", () => {
    const a = "1\n2\n3\n4\n5\n6\n7\n8\n";
    expect(lineDiff(a, a.replace("5", "five"))).toEqual({
      lines_added: 1,
      lines_removed: 1,
      lines_same: 7,
      unified: "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    });
    expect(lineDiff(a, a)).toEqual({
      lines_added: 0,
      lines_removed: 0,
      lines_same: 8,
      unified: "",
    });
  });

  it("has one hunk for edits with up to six lines between them", () => {
    const lines = (between: number) => [
      "a",
      ...Array.from({ length: between }, () => "="),
      "b",
      "",
    ];
    const heads = (between: number) => {
      const text = lines(between).join("\n");
      const { unified } = lineDiff(text, text.replace("a", "A").replace("b", "B"));
      return unified!.split("\n").filter((line) => line.startsWith("@@"));
    };
    expect(heads(6)).toEqual(["@@ -1,8 +1,8 @@"]);
    expect(heads(7)).toEqual(["@@ -1,4 +1,4 @@", "@@ -6,4 +6,4 @@"]);
  });

  it("is null as a whole beyond 5,000 lines or 2,000 edits, and its text beyond 4 KiB", () => {
    const lines = (count: number, mark: string) =>
      Array.from({ length: count }, (_, at) => `${mark}${String(at)}\n`).join("");
    const none = { lines_added: null, lines_removed: null, lines_same: null, unified: null };
    expect(lineDiff("x\n".repeat(5_000), "x\n".repeat(4_999))).toMatchObject({ lines_same: 4_999 });
    expect(lineDiff("x\n".repeat(5_001), "x\n")).toEqual(none);
    expect(lineDiff("x\n", "x\n".repeat(5_001))).toEqual(none);
    expect(lineDiff(lines(1_000, "a"), lines(1_000, "b"))).toEqual({
      lines_added: 1_000,
      lines_removed: 1_000,
      lines_same: 0,
      unified: null,
    });
    expect(lineDiff(lines(1_001, "a"), lines(1_000, "b"))).toEqual(none);
    const long = "ä".repeat(2_030);
    expect(lineDiff("", `${long}\n`).unified).not.toBeNull();
    expect(lineDiff("", `${long}ä${"ä".repeat(10)}\n`).unified).toBeNull();
    expect(lineDiff("x".repeat(1_000_000), "y".repeat(1_000_000))).toEqual({
      lines_added: 1,
      lines_removed: 1,
      lines_same: 0,
      unified: null,
    });
  });
});

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const OWN = join(import.meta.dirname, "style.test.ts");
const FOLDERS = ["src", "durable-objects", "queues", "test/unit"];

/** A comment, or a text in quotes. Approximate: a quote in a regular expression begins a text. */
const PROSE =
  /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/g;

/** Words of docs/style.md#rejected-words with their replacements. */
const REJECTED: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b[Mm]end(?:s|ed|ing)?\b/g, "fix"],
  [/\bdear(?:er|est)?\b/g, "expensive"],
  [/\b[Aa]nswers(?= (?:the|a|an|what|whether|how|with|it|null|undefined|at once)\b)/g, "returns"],
  [/(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|later\b|less\b)/g, "is not a"],
  [/\b(?:[Ww]hoever|[Tt]hat which)\b/g, "the caller, or another noun"],
  [/\banew\b/g, "again"],
];

function rejectedWords(path: string, source: string): string[] {
  if (!REJECTED.some(([words]) => source.search(words) !== -1)) {
    return [];
  }
  return [...source.matchAll(PROSE)].flatMap(({ 0: text, index: start }) =>
    REJECTED.flatMap(([words, instead]) =>
      [...text.matchAll(words)].map((found) => {
        const line = source.slice(0, start + found.index).split("\n").length;
        return `${path}:${line} has "${found[0].trim()}"; write "${instead}"`;
      }),
    ),
  );
}

describe("the words of comments and messages", () => {
  test("are those of docs/style.md", () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
        .map((entry) => join(entry.parentPath, entry.name)),
    ).filter((path) => path !== OWN);
    expect(files.length).toBeGreaterThan(900);
    expect(
      files.flatMap((path) =>
        rejectedWords(path.slice(ROOT.length + 1), readFileSync(path, "utf8")),
      ),
    ).toEqual([]);
  });

  test("rejected ones are found in comments, JSDoc, texts and templates, and in no code", () => {
    const planted = [
      "// Mend it in the next pass.",
      "/**\n * Which is dearer,\n * and answers the price.\n */",
      'throw new Error("The value is no number.");',
      "const message = `${whoever} reads: whoever calls, begins anew`;",
      "const fine = answers.mend(isNo);",
      "// There is no limit, and it is no longer read.",
    ].join("\n");
    expect(rejectedWords("planted.ts", planted).map((found) => found.split(" has ")[0])).toEqual([
      "planted.ts:1",
      "planted.ts:3",
      "planted.ts:4",
      "planted.ts:6",
      "planted.ts:7",
      "planted.ts:7",
      "planted.ts:7",
    ]);
  });
});

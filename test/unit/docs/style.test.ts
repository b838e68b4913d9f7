import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = ["src", "durable-objects", "queues", "scripts", "bench", "samples", "test", "docs"];
/** The list of rejected words itself, the list of former names, names of figures in kept rows, and encoded tables. */
const LEFT_OUT = new Set([
  "test/unit/docs/style.test.ts",
  "docs/style.md",
  "docs/decisions/names.md",
  "docs/benchmarks.md",
  "src/templates/text/unicode/character-data.ts",
]);

/** A comment, or a text in quotes. Approximate: a quote in a regular expression begins a text. */
const PROSE =
  /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/g;
/** An expression in a template, without texts. */
const EXPRESSION = /\$\{[^{}"'`]*\}/g;

/** Words of docs/style.md#rejected-words with their replacements. */
const REJECTED: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b[Mm]end(?:s|ed|ing)?\b/g, "fix"],
  [/\bdear(?:er|est)?\b/g, "expensive"],
  [/\b[Aa]nswers(?= (?:the|a|an|what|whether|how|with|it|null|undefined|at once)\b)/g, "returns"],
  [/(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|later\b|less\b)/g, "is not a"],
  [/\b(?:[Ww]hoever|[Tt]hat which)\b/g, "the caller, or another noun"],
  [/\banew\b/g, "again"],
];

/** British spellings with the American ones. "Cancelled" and "acknowledgement" are the API's own. */
const BRITISH: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(?:dis)?(?:[Bb]ehavi|[Cc]ol|[Ff]av|[Ff]lav|[Hh]on|[Ll]ab|[Nn]eighb)our[a-z]*/g, "-or"],
  [/\b[A-Za-z]{2,}(?:[aei]l|[aeo]n|[aeo]r|im|gn|it|tom|has)is(?:e[ds]?|ing|ations?)\b/g, "-ize"],
  [/\b[A-Za-z]+(?:lys)(?:e|ed|ing)\b/g, "-yze"],
  [/\b(?:[Ll]abel|[Mm]odel|[Ss]ignal|[Ll]evel|[Tt]ravel|[Cc]hannel)l(?:ed|ing)\b/g, "one l"],
  [/\b(?:[Cc]ent|[Mm]et|[Ll]it|[Ff]ib)re[sd]?\b/g, "-er"],
  [/\b(?:[Ll]icence|[Dd]efence|[Oo]ffence)s?\b/g, "-ense"],
  [/(?<!["`])\b(?:[Cc]ata|[Dd]ia|[Aa]na)logues?\b/g, "-log"],
  [
    /\b(?:[Gg]rey|[Jj]udgement|[Aa]rtefact|[Ww]hilst|[Ff]ulfil|[Ff]or ever)s?\b/g,
    "gray, judgment, …",
  ],
];

const WORDS = [...REJECTED, ...BRITISH];

/** Words that a file keeps: names of others, of kept figures, or in the worlds of seeds. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  "bench/compare-workloads.ts": ["mended"],
  "bench/measure-datasets.ts": ["tokenised", "tokenising"],
  // Sentences that models receive, as the contract words them.
  "src/nodes/ai/image-variants.ts": ["colours"],
  "test/unit/nodes/ai/image-variants.test.ts": ["colours"],
  "test/simulation/random-values.ts": ["colour"],
  // A profile of audio/speech_enhance.
  "test/unit/domain/catalog/media-nodes.test.ts": ["dialogue"],
  // Names of CSS.
  "src/lib/named-colors.ts": ["grey"],
};

function rejectedWords(path: string, source: string): string[] {
  if (!WORDS.some(([words]) => source.search(words) !== -1)) {
    return [];
  }
  const texts = path.endsWith(".md")
    ? [{ text: source, start: 0 }]
    : [...source.matchAll(PROSE)].map(({ 0: text, index: start }) => ({ text, start }));
  return texts.flatMap(({ text, start }) => {
    const prose = text.replaceAll(EXPRESSION, (expression) => " ".repeat(expression.length));
    return WORDS.flatMap(([words, instead]) =>
      [...prose.matchAll(words)].map((found) => {
        const line = source.slice(0, start + found.index).split("\n").length;
        return `${path}:${line} has "${found[0].trim()}"; write "${instead}"`;
      }),
    );
  });
}

const isKept = (path: string, problem: string) =>
  (KEPT[path] ?? []).some((word) => problem.includes(` has "${word}"; `));

function sourceFiles(): string[] {
  return [
    "README.md",
    "ARCHITECTURE.md",
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter(
          ({ name }) =>
            /\.(?:ts|mjs|css|md)$/.test(name) || (folder === "samples" && name.endsWith(".json")),
        )
        .map(({ name, parentPath }) => join(parentPath, name).slice(ROOT.length + 1)),
    ),
  ].filter((path) => !LEFT_OUT.has(path) && !path.includes("node_modules/"));
}

describe("the words of comments, messages, titles and pages", () => {
  const paths = sourceFiles();
  const found = paths.map((path) => ({
    path,
    problems: rejectedWords(path, readFileSync(join(ROOT, path), "utf8")),
  }));

  test("are those of docs/style.md, in American spelling", () => {
    for (const folder of [...FOLDERS, "test/worker", "test/e2e", "test/simulation"]) {
      expect(
        paths.some((path) => path.startsWith(`${folder}/`)),
        folder,
      ).toBe(true);
    }
    expect(paths.length).toBeGreaterThan(1_500);
    expect(
      found.flatMap(({ path, problems }) => problems.filter((problem) => !isKept(path, problem))),
    ).toEqual([]);
  });

  test("that a file keeps are still there", () => {
    const stale = Object.entries(KEPT).flatMap(([path, words]) => {
      const problems = found.find((file) => file.path === path)?.problems ?? [];
      return words.filter((word) => !problems.some((problem) => problem.includes(`"${word}"`)));
    });
    expect(stale).toEqual([]);
  });

  const linesOf = (path: string, lines: readonly string[]) =>
    rejectedWords(path, lines.join("\n")).map((problem) => problem.split(" has ")[0]);

  test("rejected ones are found in comments, JSDoc, texts and templates, and in no code", () => {
    const planted = [
      "// Mend it in the next pass.",
      "/**\n * Which is dearer,\n * and answers the price.\n */",
      'throw new Error("The value is no number.");',
      "const message = `${whoever} reads: whoever calls, begins anew`;",
      "const fine = answers.mend(isNo);",
      "// There is no limit, and it is no longer read.",
    ];
    expect(linesOf("planted.ts", planted)).toEqual([
      "planted.ts:1",
      "planted.ts:3",
      "planted.ts:4",
      "planted.ts:6",
      "planted.ts:7",
      "planted.ts:7",
    ]);
  });

  test("British ones are found, also in pages, and American ones are not", () => {
    const planted = [
      "The colour of its neighbours, and the behaviour of an honourable organisation.",
      "Tokenising, serialised, recognises, optimisation, customise, analysed.",
      "A labelled file in the centre of a grey catalogue keeps its licence for ever.",
      "The API's own: cancelled, cancelling, FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED.",
      "Our four hours pour on: a promise, noise, raise, revised, precise, otherwise, expertise, for every.",
      "The analysis of a center, a license and a label, labeled by color, analyzes the meter.",
    ];
    expect(linesOf("planted.md", planted)).toEqual([
      ...Array.from({ length: 5 }, () => "planted.md:1"),
      ...Array.from({ length: 6 }, () => "planted.md:2"),
      ...Array.from({ length: 6 }, () => "planted.md:3"),
    ]);
    expect(linesOf("planted.ts", ["const colour = neighbour(`${colour}`); // no colour"])).toEqual([
      "planted.ts:1",
    ]);
  });
});

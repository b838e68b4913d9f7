/**
 * Writes docs/errors.md from the tables of the code. With `--check` it writes nothing, and says
 * whether that file is current and docs/dependencies.md names every dependency.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ERROR_GUIDES } from "../src/lib/error-guides.ts";
import { type ErrorCode, ERRORS } from "../src/lib/errors.ts";

const FILE = fileURLToPath(new URL("../docs/errors.md", import.meta.url));
const START = "<!-- codes: written by `npm run docs:errors` -->";
const END = "<!-- end of codes -->";

const codes = (Object.keys(ERRORS) as ErrorCode[]).sort(
  (a, b) => ERRORS[a].status - ERRORS[b].status || a.localeCompare(b),
);
const lines = codes.map((code) => {
  const { status, retryable } = ERRORS[code];
  const { cause, mend } = ERROR_GUIDES[code];
  return `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${cell(cause)} | ${cell(mend)} |`;
});
const table = [
  "| code | HTTP | try again | cause | what to do |",
  "|---|---|---|---|---|",
  ...lines,
].join("\n");

const text = await readFile(FILE, "utf8");
const [before, rest] = text.split(START);
const after = rest?.split(END)[1];
if (before === undefined || after === undefined) {
  throw new Error(`docs/errors.md lacks the lines ${START} and ${END}.`);
}
const current = `${before}${START}\n\n${table}\n\n${END}${after}`;
if (process.argv.includes("--check")) {
  const problems = await findProblems(current !== text);
  for (const problem of problems) {
    console.error(problem);
  }
  process.exit(problems.length === 0 ? 0 : 1);
}
await writeFile(FILE, current);

async function findProblems(isBehind: boolean): Promise<string[]> {
  const [manifest, guide] = await Promise.all(
    ["../package.json", "../docs/dependencies.md"].map((path) =>
      readFile(new URL(path, import.meta.url), "utf8"),
    ),
  );
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    manifest ?? "",
  ) as Record<string, Record<string, string>>;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const words = new Set((guide ?? "").split(/[\s|,;()]+/));
  return [
    ...(isBehind ? ["docs/errors.md is behind src/lib: run `npm run docs:errors`."] : []),
    ...names
      .filter((name) => !words.has(name))
      .map((name) => `docs/dependencies.md does not say why ${name} is here, nor its licence.`),
  ];
}

function cell(prose: string): string {
  return prose.replaceAll("|", "\\|").replaceAll("\n", " ");
}

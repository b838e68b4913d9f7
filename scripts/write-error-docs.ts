/** Writes docs/errors.md from the tables of the code; with `--check` it only says whether the file is current. */
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
  if (current !== text) {
    console.error("docs/errors.md is behind src/lib: run `npm run docs:errors`.");
    process.exit(1);
  }
} else {
  await writeFile(FILE, current);
}

function cell(prose: string): string {
  return prose.replaceAll("|", "\\|").replaceAll("\n", " ");
}

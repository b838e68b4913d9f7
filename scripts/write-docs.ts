/**
 * Writes the tables of docs/errors.md, docs/limits.md and docs/cli.md (from the code), docs/benchmarks.md and
 * docs/media.md (from the newest rows kept in bench/rows) and docs/scaling.md (from bench/scale). With `--check` it writes
 * nothing, and reports whether all are current and docs/dependencies.md lists every dependency.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type KeptFile, type KeptRow, renderBenchmarks } from "../bench/render-benchmarks.ts";
import { renderMediaCosts } from "../bench/render-media-costs.ts";
import type { Measured } from "../bench/scale/operations.ts";
import { readRowCounts } from "../bench/scale/row-counts.ts";
import { scalingTables } from "../bench/scale/scaling-tables.ts";
import { COMMANDS } from "./cli/commands.ts";
import { listCodes } from "../src/domain/errors/list-codes.ts";
import { TOPICS } from "../src/domain/errors/listed-code.ts";
import { limitText } from "../src/lib/limits/limit-text.ts";
import { LIMIT_ROWS } from "../src/lib/limits/limit-rows.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const START = "<!-- table: written by `npm run docs` -->";
const END = "<!-- end of table -->";

const isCheck = process.argv.includes("--check");
const problems = [
  ...(await put("docs/errors.md", errorTable())),
  ...(await put("docs/limits.md", limitTables())),
  ...(await put("docs/cli.md", commandTable())),
  ...(await put("docs/benchmarks.md", renderBenchmarks(await keptRows()))),
  ...(await put("docs/media.md", renderMediaCosts(await keptRows()))),
  ...(await put("docs/scaling.md", await scalingTable())),
  ...(isCheck ? await unexplainedDependencies() : []),
];
for (const problem of problems) {
  console.error(problem);
}
process.exit(problems.length === 0 ? 0 : 1);

/** Replaces the table of a file; with `--check`, returns whether it would change. */
async function put(file: string, table: string): Promise<string[]> {
  const text = await readFile(ROOT + file, "utf8");
  const [before, rest] = text.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`${file} does not contain the lines ${START} and ${END}.`);
  }
  const current = `${before}${START}\n\n${table}\n\n${END}${after}`;
  if (isCheck) {
    return current === text ? [] : [`${file} is outdated: run \`npm run docs\`.`];
  }
  await writeFile(ROOT + file, current);
  return [];
}

/** One table per topic, with a row for each code and kind. */
function errorTable(): string {
  const byTopic = Map.groupBy(listCodes(), ({ topic }) => topic);
  return [...byTopic]
    .map(([topic, codes]) =>
      [
        `### ${TOPICS[topic]}`,
        "",
        "| code | kind | HTTP | try again | cause | what to do |",
        "|---|---|---|---|---|---|",
        ...codes.map(({ code, kind, problem, cause, remedy }) => {
          const status = problem === undefined ? "" : String(problem.status);
          const again = problem === undefined ? "" : problem.retryable ? "yes" : "no";
          return `| \`${code}\` | ${kind} | ${status} | ${again} | ${cell(cause)} | ${cell(remedy)} |`;
        }),
      ].join("\n"),
    )
    .join("\n\n");
}

/** Every command of the CLI with the operations that it calls. */
function commandTable(): string {
  return [
    "| command | function | operation |",
    "|---|---|---|",
    ...COMMANDS.map(({ words, args, about, route, operations }) => {
      const called = route === undefined ? (operations ?? []) : [route.operation];
      const name = args === undefined || args === "" ? words : `${words} ${args}`;
      return `| \`${name}\` | ${cell(about)} | ${called.map((one) => `\`${one}\``).join(", ")} |`;
    }),
  ].join("\n");
}

/** One table per group, in the order in which groups first appear in the code. */
function limitTables(): string {
  const groups = Map.groupBy(LIMIT_ROWS, ({ group }) => group);
  return [...groups]
    .map(([group, limits]) =>
      [
        `### ${group}`,
        "",
        "| limit | value | reason |",
        "|---|---|---|",
        ...limits.map(
          (limit) => `| ${cell(limit.name)} | ${limitText(limit)} | ${cell(limit.reason)} |`,
        ),
      ].join("\n"),
    )
    .join("\n\n");
}

async function keptRows(): Promise<KeptFile[]> {
  const names = (await readdir(`${ROOT}bench/rows`)).filter(
    (name) => name.endsWith(".json") && !name.startsWith("local-"),
  );
  const files = names.map(async (name) => ({
    name,
    row: JSON.parse(await readFile(`${ROOT}bench/rows/${name}`, "utf8")) as KeptRow,
  }));
  return await Promise.all(files);
}

async function scalingTable(): Promise<string> {
  const kept = await readFile(`${ROOT}bench/scale/operations.json`, "utf8");
  const counts = await readFile(`${ROOT}docs/row-counts.md`, "utf8");
  return scalingTables(JSON.parse(kept) as Measured, readRowCounts(counts));
}

async function unexplainedDependencies(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(`${ROOT}package.json`, "utf8")) as Record<
    string,
    Record<string, string>
  >;
  const guide = await readFile(`${ROOT}docs/dependencies.md`, "utf8");
  const words = new Set(guide.split(/[\s|,;()]+/));
  return ["dependencies", "devDependencies", "optionalDependencies"]
    .flatMap((kind) => Object.keys(manifest[kind] ?? {}))
    .filter((name) => !words.has(name))
    .map((name) => `docs/dependencies.md does not state the purpose and the license of ${name}.`);
}

function cell(prose: string): string {
  return prose.replaceAll("|", "\\|").replaceAll("\n", " ");
}

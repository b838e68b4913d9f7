import { compareWorkloads, renderComparison } from "./compare-workloads.ts";
import type { Figure, Workload } from "./figure.ts";
import type { FailedPart } from "./parts.ts";
import { renderTable } from "./render-table.ts";
import { WORKLOAD_GUIDES } from "./workload-guides.ts";

/** The file that bench/run.ts writes. */
export interface KeptRow {
  readonly started_at: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly load_before: readonly number[];
    readonly load_after: readonly number[];
    /** Where the services and the peers had their files, if not on the disk (`--memory`). */
    readonly folders?: "memory";
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly commit: string;
  /** The value of `--only`; such a row is valid for that part only. */
  readonly only?: string;
  readonly minutes?: number;
  /** The run was stopped before its last measurement, or is under way. */
  readonly is_unfinished?: boolean;
  /** What has no figure, or not all of its rounds. */
  readonly failed?: readonly FailedPart[];
  readonly figures: readonly Figure[];
}

export interface KeptFile {
  /** Its name in bench/rows. */
  readonly name: string;
  readonly row: KeptRow;
}

const EXTERNAL: Workload = "peers";
/** The last complete row from before runs were kept in one table of parts. */
const COMPARED_WITH = "2026-11-20-evening.json";

/** A run of everything of which nothing failed. */
function isWhole({ row }: KeptFile): boolean {
  return (row.only ?? "") === "" && row.is_unfinished !== true && (row.failed ?? []).length === 0;
}

/**
 * The benchmarks of docs/benchmarks.md: each workload with its description and its figures, from the newest row of a
 * complete run and from newer rows of parts (`--only`), each figure from the newest row that has it; other engines from
 * the newest row that has them.
 */
export function renderBenchmarks(files: readonly KeptFile[]): string {
  const newestFirst = files.toSorted((a, b) => b.row.started_at.localeCompare(a.row.started_at));
  const whole = newestFirst.find(isWhole);
  const external = newestFirst.find(({ row }) => of(row, EXTERNAL).length > 0);
  return [
    ...(whole === undefined
      ? ["No results are kept yet: `npm run bench -- --keep NAME`."]
      : [
          taken(whole),
          ...sections(
            whole,
            newestFirst.filter(({ row }) => row.started_at > whole.row.started_at),
          ),
          ...comparison(
            whole,
            files.find(({ name }) => name === COMPARED_WITH),
          ),
        ]),
    heading(EXTERNAL),
    WORKLOAD_GUIDES[EXTERNAL].text,
    ...(external === undefined
      ? ["No results are kept yet: `npm run bench -- --peers --only peers --keep NAME`."]
      : [taken(external), renderTable(of(external.row, EXTERNAL))]),
  ].join("\n\n");
}

/** `parts`: newer rows of a part, newest first. */
function sections(whole: KeptFile, parts: readonly KeptFile[]): string[] {
  const workloads = (Object.keys(WORKLOAD_GUIDES) as Workload[])
    .filter((workload) => workload !== EXTERNAL)
    .map((workload) => ({
      tables: tablesOf(workload, whole, parts),
      head: [heading(workload), WORKLOAD_GUIDES[workload].text],
    }));
  const others = { tables: tablesOf(undefined, whole, parts), head: ["### Everything else"] };
  return [...workloads, others].flatMap(({ head, tables }) =>
    tables.length === 0 ? [] : [...head, ...tables],
  );
}

/** W1 to W10 of the complete run beside those of an earlier one. */
function comparison(whole: KeptFile, before: KeptFile | undefined): string[] {
  if (before === undefined || before === whole) {
    return [];
  }
  return [
    `### W1 to W10 since ${before.row.started_at.slice(0, 10)}`,
    `Ratios to the same peer of the same run, in \`bench/rows/${before.name}\` and in \`bench/rows/${whole.name}\`. A rate that falls counts as slower.`,
    renderComparison(compareWorkloads(before.row.figures, whole.row.figures)),
  ];
}

/** The figures of the complete run that no newer row has, then those of newer rows, each below its conditions. */
function tablesOf(
  workload: Workload | undefined,
  whole: KeptFile,
  parts: readonly KeptFile[],
): string[] {
  const seen = new Set<string>();
  const newer: string[] = [];
  for (const part of parts) {
    const figures = unseen(of(part.row, workload), seen);
    if (figures.length > 0) {
      newer.push(taken(part), renderTable(figures));
    }
  }
  const figures = unseen(of(whole.row, workload), seen);
  return [...(figures.length === 0 ? [] : [renderTable(figures)]), ...newer];
}

function unseen(figures: readonly Figure[], seen: Set<string>): readonly Figure[] {
  const fresh = figures.filter(({ name }) => !seen.has(name));
  fresh.forEach(({ name }) => seen.add(name));
  return fresh;
}

function heading(workload: Workload): string {
  return `### ${WORKLOAD_GUIDES[workload].title}`;
}

function of(row: KeptRow, workload: Workload | undefined): readonly Figure[] {
  return row.figures.filter((figure) => figure.workload === workload);
}

function taken({ name, row }: KeptFile): string {
  const { cpu, cores, load_before: before, load_after: after, folders } = row.machine;
  const versions = Object.entries(row.versions)
    .map(([program, version]) => `${program} ${version}`)
    .join(", ");
  return (
    `Taken ${row.started_at.slice(0, 10)} at commit ${row.commit} on ${cores} cores (${cpu}), ${versions}; ` +
    `load ${before[0]?.toFixed(1)} before and ${after[0]?.toFixed(1)} after${folders === undefined ? "" : ", all files in memory (`--memory`)"}. Raw data: \`bench/rows/${name}\`.${incomplete(row)}`
  );
}

function incomplete({ is_unfinished: isUnfinished, failed = [] }: KeptRow): string {
  const parts = failed.map(({ part, reason }) => `${part} (${reason})`).join("; ");
  return (
    (isUnfinished === true ? " The run was stopped before its last measurement." : "") +
    (parts === "" ? "" : ` **Failed in this run: ${parts}.**`)
  );
}

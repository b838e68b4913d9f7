import type { Figure, Workload } from "./figure.ts";
import { renderTable } from "./render-table.ts";
import { WORKLOAD_GUIDES } from "./workload-guides.ts";

/** What bench/run.ts writes. */
export interface KeptRow {
  readonly started_at: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly load_before: readonly number[];
    readonly load_after: readonly number[];
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly commit: string;
  /** What `--only` was; a row of a part stands for nothing but that part. */
  readonly only?: string;
  readonly figures: readonly Figure[];
}

export interface KeptFile {
  /** Its name in bench/rows. */
  readonly name: string;
  readonly row: KeptRow;
}

const EXTERNAL: Workload = "peers";

/**
 * The benchmarks of docs/benchmarks.md: each workload with what it is and its table, from the newest
 * row of a whole run; other engines from the newest row that has them.
 */
export function renderBenchmarks(files: readonly KeptFile[]): string {
  const newestFirst = files.toSorted((a, b) => b.row.started_at.localeCompare(a.row.started_at));
  const whole = newestFirst.find(({ row }) => (row.only ?? "") === "");
  const external = newestFirst.find(({ row }) => of(row, EXTERNAL).length > 0);
  return [
    ...(whole === undefined
      ? ["Nothing is kept yet: `npm run bench -- --keep NAME`."]
      : [taken(whole), ...sections(whole.row)]),
    heading(EXTERNAL),
    WORKLOAD_GUIDES[EXTERNAL].text,
    ...(external === undefined
      ? ["Nothing is kept yet: `npm run bench -- --peers --only peers --keep NAME`."]
      : [taken(external), renderTable(of(external.row, EXTERNAL))]),
  ].join("\n\n");
}

function sections(row: KeptRow): string[] {
  const workloads = (Object.keys(WORKLOAD_GUIDES) as Workload[]).filter(
    (workload) => workload !== EXTERNAL && of(row, workload).length > 0,
  );
  const others = of(row, undefined);
  return [
    ...workloads.flatMap((workload) => [
      heading(workload),
      WORKLOAD_GUIDES[workload].text,
      renderTable(of(row, workload)),
    ]),
    ...(others.length === 0 ? [] : ["### Everything else", renderTable(others)]),
  ];
}

function heading(workload: Workload): string {
  return `### ${WORKLOAD_GUIDES[workload].title}`;
}

function of(row: KeptRow, workload: Workload | undefined): readonly Figure[] {
  return row.figures.filter((figure) => figure.workload === workload);
}

function taken({ name, row }: KeptFile): string {
  const { cpu, cores, load_before: before, load_after: after } = row.machine;
  const versions = Object.entries(row.versions)
    .map(([program, version]) => `${program} ${version}`)
    .join(", ");
  return (
    `Taken ${row.started_at.slice(0, 10)} at commit ${row.commit} on ${cores} cores (${cpu}), ${versions}; ` +
    `load ${before[0]?.toFixed(1)} before and ${after[0]?.toFixed(1)} after. Raw data: \`bench/rows/${name}\`.`
  );
}

/** The table of docs/row-counts.md: written, read back, and compared with a new count. */

export interface RowCount {
  readonly name: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** Allowed difference between two counts: reports and alarms coincide differently each time. */
const SHARE_MAX = 0.15;
const AMOUNT_MAX = 0.06;
/** Reads cost a thousandth of writes, and depend more on how much work one pass finds. */
const READS = { shareMax: 0.35, amountMax: 0.15 } as const;
/** A put costs 4.5 rows. A file of a quick fan-out takes a sixteenth of one, and a tenth at most. */
const PUTS = { shareMax: 0, amountMax: 0.04 } as const;
const TOLERANCES: Readonly<Record<string, { shareMax: number; amountMax: number }>> = {
  "rows read": READS,
  "R2 puts": PUTS,
};
/** The workspace's expiry passes coincide depending on the clock: 1.1 to 2.3 rows a run. */
const VARYING = {
  name: "the expiry of one of these",
  figures: new Set(["rows written", "the workspace object's"]),
  amountMax: 1.2,
} as const;

const HEAD = `# Rows and operations, counted

Written by \`npm run bench:rows\`, which runs both Workers in workerd and counts every statement by
itself, CREATEs and alarms included; the proof of \`.ci/run\` counts again and compares. The
figures are for one run of ten steps, or for one task of a fan-out of 1,000. What a row costs, and what
these figures come to, is in [scaling.md](scaling.md).
`;

export function renderRowCounts(rows: readonly RowCount[]): string {
  const figures = Object.keys(rows[0]?.figures ?? {});
  const lines = [
    ["counted", ...figures],
    ["---", ...figures.map(() => "---:")],
    ...rows.map((row) => [row.name, ...figures.map((figure) => String(row.figures[figure] ?? 0))]),
  ];
  return `${HEAD}\n${lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
}

export function readRowCounts(text: string): RowCount[] {
  const [head = [], , ...lines] = text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return lines.map(([name = "", ...cells]) => ({
    name,
    figures: Object.fromEntries(cells.map((cell, at) => [head[at + 1] ?? "", Number(cell)])),
  }));
}

/** Differences beyond the allowed ones, one per line. */
export function strayCounts(written: readonly RowCount[], counted: readonly RowCount[]): string[] {
  const kept = new Map(written.map((row) => [row.name, row.figures]));
  return counted.flatMap(({ name, figures }) =>
    Object.entries(figures).flatMap(([figure, is]) => {
      const was = kept.get(name)?.[figure];
      const isVarying = name === VARYING.name && VARYING.figures.has(figure);
      const { amountMax, shareMax } = isVarying
        ? { ...VARYING, shareMax: SHARE_MAX }
        : (TOLERANCES[figure] ?? { amountMax: AMOUNT_MAX, shareMax: SHARE_MAX });
      return was !== undefined && Math.abs(is - was) <= amountMax + shareMax * was
        ? []
        : [`${name}, ${figure}: ${is} instead of ${was ?? "nothing"}`];
    }),
  );
}

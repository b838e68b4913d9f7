/** The cost of whole lives of runs, expiry included, from the counts of docs/row-counts.md, for docs/scaling.md. */
import { OPERATIONS_A_MESSAGE, PRICES } from "./prices.ts";
import type { RowCount } from "./row-counts.ts";

/** Dollars for a million of what one column counts. */
const PRICE_OF: Readonly<Record<string, number>> = {
  "rows written": PRICES.rowWritten,
  "rows read": PRICES.rowRead,
  "D1 rows written": PRICES.rowWritten,
  "queue messages": OPERATIONS_A_MESSAGE * PRICES.queueOperation,
  "R2 puts": PRICES.r2ClassA,
  "R2 lists": PRICES.r2ClassA,
  "R2 gets": PRICES.r2ClassB,
};

const TASKS = 1_000;
const STEPS_EXPIRY = "the expiry of one of these";

interface Life {
  readonly name: string;
  /** Rows of the counts: the run and its expiry. */
  readonly counts: readonly [run: string, expiry: string];
  readonly tasks: number;
}

const steps = (run: string): Life => ({ name: run, counts: [run, STEPS_EXPIRY], tasks: 1 });
const tasks = (task: string, name: string): Life => ({
  name,
  counts: [task, `${task}: its expiry`],
  tasks: TASKS,
});

const LIVES: readonly Life[] = [
  steps("ten steps with a key, in a burst"),
  steps("ten steps with a key, one each 6 s"),
  tasks("a task of a fan-out, reported by 16", "a thousand tasks, reported by 16"),
  tasks("a task of a fan-out, reported alone", "a thousand tasks, each reported alone"),
  tasks("a task that makes a file of 0.2 KiB", "a thousand tasks, a file of 0.2 KiB each"),
  tasks("a task that makes a file of 20 KiB", "a thousand tasks, a file of 20 KiB each"),
];

/** A row for each life. Throws if the counts lack one. */
export function wholeLivesTable(counts: readonly RowCount[]): string {
  const byName = new Map(counts.map(({ name, figures }) => [name, figures]));
  const rows = LIVES.map((life) => {
    const [run, expiry] = life.counts.map((name) => {
      const figures = byName.get(name);
      if (figures === undefined) {
        throw new Error(`docs/row-counts.md has no "${name}".`);
      }
      return life.tasks * costOf(figures);
    });
    const cells = [run, expiry, (run ?? 0) + (expiry ?? 0)].map((cost) => (cost ?? 0).toFixed(2));
    return `| ${life.name} | ${cells.join(" | ")} |`;
  });
  return [
    "| $ for a million runs | run | expiry | together |",
    "|---|---:|---:|---:|",
    ...rows,
  ].join("\n");
}

function costOf(figures: RowCount["figures"]): number {
  return Object.entries(PRICE_OF).reduce(
    (sum, [figure, price]) => sum + (figures[figure] ?? 0) * price,
    0,
  );
}

import type { Figure } from "./figure.ts";
import type { Spread } from "./statistics.ts";

/** At most so much slower, beside the same peer, than in the row that is compared with. */
const SLOWER_MAX = 1.05;
/** Figures whose name has changed since rows were kept, by their present name. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  "a run of 10,000 EAN-13 codes of which 100 failed, submitted again with the cause fixed":
    "a run of 10,000 EAN-13 codes of which 100 failed, submitted again with the cause mended",
};

interface Compared {
  readonly name: string;
  readonly peer: string;
  readonly before: number;
  readonly now: number;
  /** How many times as slow, or as large, as before; below 1 it is better. */
  readonly change: number;
}

/**
 * The figures of W1 to W10 that two rows have, each as its ratio to the same peer of the same run: to the bare object if it was
 * measured in both. Figures without a common peer, or beside nothing, are left out.
 */
export function compareWorkloads(before: readonly Figure[], now: readonly Figure[]): Compared[] {
  return now.flatMap((figure) => {
    const { name, workload, unit } = figure;
    const former = before.find((one) => one.name === (FORMER_NAMES[name] ?? name));
    if (workload === undefined || !/^W\d/.test(workload) || former === undefined) {
      return [];
    }
    const common = figure.beside.filter(({ name: peer }) => peerOf(former, peer) !== undefined);
    const peer = common.find((one) => one.name.startsWith("bare")) ?? common[0];
    if (peer === undefined) {
      return [];
    }
    const ratios = {
      before: former.ours.median / peerOf(former, peer.name)!.median,
      now: figure.ours.median / peer.value.median,
    };
    // A rate, and a number of runs that ended, are better if they are higher.
    const isHigherBetter = unit === "a second" || unit.startsWith("of ");
    const change = isHigherBetter ? ratios.before / ratios.now : ratios.now / ratios.before;
    return Number.isFinite(change) ? [{ name, peer: peer.name, ...ratios, change }] : [];
  });
}

function peerOf(figure: Figure, name: string): Spread | undefined {
  return figure.beside.find((one) => one.name === name)?.value;
}

/** The comparison as a Markdown table, with `MISSED` where a figure is slower than the bound. */
export function renderComparison(compared: readonly Compared[]): string {
  return [
    ["figure", "beside", "ratio then", "ratio now", `change, asked ≤ ${SLOWER_MAX}`],
    ["---", "---", "---", "---", "---"],
    ...compared.map(({ name, peer, before, now, change }) => [
      name,
      peer,
      before.toFixed(2),
      now.toFixed(2),
      `${change.toFixed(2)} ${change <= SLOWER_MAX ? "met" : "MISSED"}`,
    ]),
  ]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

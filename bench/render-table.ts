import { type Figure, isMet } from "./figure.ts";
import type { Spread } from "./statistics.ts";

/** The figures as a Markdown table: medians, the middle half in brackets, and each target with its result. */
export function renderTable(figures: readonly Figure[]): string {
  const lines = figures.map(({ name, unit, ours, beside, targets, note }) => [
    name + (note === undefined ? "" : ` (${note})`),
    show(ours, unit),
    beside.map((other) => `${other.name} ${show(other.value, unit)}`).join("; "),
    targets
      .map(
        (target) => `${target.text}: ${result(target.actual)} ${isMet(target) ? "met" : "MISSED"}`,
      )
      .join("; "),
  ]);
  const rows = [
    ["figure", "Edgeloom", "beside it", "target"],
    ["---", "---", "---", "---"],
    ...lines,
  ];
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function result(actual: number | null): string {
  return actual === null || Number.isNaN(actual) ? "lost in noise," : number(actual);
}

function show({ median, low, high }: Spread, unit: string): string {
  const range = low === high ? "" : ` [${number(low)}–${number(high)}]`;
  return `${number(median)}${range} ${unit}`;
}

function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

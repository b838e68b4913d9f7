import type { Spread } from "./statistics.ts";

/** One line of the table: a figure, its comparison, and whether the target is met. */
export interface Figure {
  /** The workload that it belongs to, as docs/benchmarks.md explains it; none for a figure on its own. */
  readonly workload?: Workload;
  readonly name: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly beside: readonly { readonly name: string; readonly value: Spread }[];
  readonly targets: readonly Target[];
  readonly note?: string;
}

/** W1 to W10, sustained rates, and external engines. */
export type Workload =
  | "W1"
  | "W2"
  | "W3"
  | "W4"
  | "W5"
  | "W6"
  | "W7"
  | "W8"
  | "W9"
  | "W10"
  | "sustained"
  | "peers";

export interface Target {
  /** As written in the issue. */
  readonly text: string;
  /** The result in the unit of the target. Not a number, and null in a kept row, if noise hid it: the target is missed. */
  readonly actual: number | null;
  readonly limit: number;
  readonly isMinimum: boolean;
}

export function isMet({ actual, limit, isMinimum }: Target): boolean {
  return actual !== null && (isMinimum ? actual >= limit : actual <= limit);
}

/** A target that is an upper bound. */
export function atMost(text: string, actual: number, limit: number): Target {
  return { text, actual, limit, isMinimum: false };
}

/** A target that is a lower bound. */
export function atLeast(text: string, actual: number, limit: number): Target {
  return { text, actual, limit, isMinimum: true };
}

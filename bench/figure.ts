import type { Spread } from "./statistics.ts";

/** One line of the table: what was measured, beside what, and whether the target is met. */
export interface Figure {
  /** The workload it belongs to, as docs/benchmarks.md explains it; none for what stands by itself. */
  readonly workload?: Workload;
  readonly name: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly beside: readonly { readonly name: string; readonly value: Spread }[];
  readonly targets: readonly Target[];
  readonly note?: string;
}

/** W1 to W10, what is sustained, and external engines. */
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
  /** As the issue states it. */
  readonly text: string;
  /** What it came to, in the target's own terms. */
  readonly actual: number;
  readonly limit: number;
  readonly isMinimum: boolean;
}

export function isMet({ actual, limit, isMinimum }: Target): boolean {
  return isMinimum ? actual >= limit : actual <= limit;
}

/** A target that something stays at or below. */
export function atMost(text: string, actual: number, limit: number): Target {
  return { text, actual, limit, isMinimum: false };
}

/** A target that something reaches. */
export function atLeast(text: string, actual: number, limit: number): Target {
  return { text, actual, limit, isMinimum: true };
}

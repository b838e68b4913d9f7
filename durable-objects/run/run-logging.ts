import { createLogger, type Logger } from "../../src/platform/logger.ts";
import type { RunMetadata } from "./live-run.ts";
import { nodeStateName } from "../../src/engine/events/node-state-name.ts";
import type { LoggedDelta } from "../../src/engine/events/delta-text.ts";
import type { Outline } from "../../src/engine/plan/outline.ts";

/** A log whose lines contain the run and the request that created it. */
export function runLogger(metadata: RunMetadata): Logger {
  return createLogger({
    service: "edgeloom",
    object: "run",
    run_id: metadata.run_id,
    correlation_id: metadata.correlation_id,
  });
}

type Line = Record<string, unknown>;

/**
 * The log lines about a run's progress. A run that ends within its start omits them: its last line is sufficient, and
 * most runs are small.
 */
export class ChangeLines {
  readonly #log: Logger;
  #held: Line[] | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(line: Line): void {
    if (this.#held === undefined) {
      this.#log.info("run.changed", line);
    } else {
      this.#held.push(line);
    }
  }

  hold(): void {
    this.#held ??= [];
  }

  release(isEnded: boolean): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (!isEnded) {
      for (const line of held) {
        this.add(line);
      }
    }
  }
}

/**
 * The log line of a commit: the run's new status, and the nodes that opened or ended; null for a commit that only
 * counted. One line for both, so that a small run costs a few lines.
 */
export function stateLine(
  outline: Outline,
  { delta, seq }: LoggedDelta,
): { seq: number; status?: string; nodes: Record<string, string> } | null {
  const nodes: Record<string, string> = Object.create(null) as Record<string, string>;
  let isChanged = delta.status !== null;
  for (const { index, state, isNewPhase } of delta.nodes) {
    if (isNewPhase) {
      nodes[outline.nodes[index]?.id ?? ""] = nodeStateName(state, "running");
      isChanged = true;
    }
  }
  return isChanged
    ? { seq, ...(delta.status === null ? {} : { status: delta.status }), nodes }
    : null;
}

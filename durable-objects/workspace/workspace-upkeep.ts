import type { OutputRetention } from "./output-retention.ts";
import type { RunAudit } from "./run-audit.ts";

/** The work of a workspace that runs and callers do not wait for: the audit of its runs, and the expiry of outputs. */
export class WorkspaceUpkeep {
  readonly #audit: RunAudit;
  readonly #retention: OutputRetention;
  readonly #arm: (atMs: number) => void;

  /** `arm` ensures that `pass` is called at this time or earlier. */
  constructor(audit: RunAudit, retention: OutputRetention, arm: (atMs: number) => void) {
    this.#audit = audit;
    this.#retention = retention;
    this.#arm = arm;
  }

  /** A run has ended; part of the caller's transaction. */
  noteEnded(nowMs: number): void {
    if (this.#retention.noteEnded(nowMs)) {
      this.#armForNext();
    }
  }

  /** Does a bounded part of what is due. Never throws. */
  async pass(): Promise<void> {
    const audited = this.#audit.pass();
    this.#armForNext();
    await this.#retention.pass();
    await audited;
    this.#armForNext();
  }

  /** While the day's work is unfinished it is due at once. One alarm for both, because each costs a row. */
  #armForNext(): void {
    const nextAtMs = Math.min(
      this.#retention.nextAtMs ?? Infinity,
      this.#audit.nextAtMs ?? Infinity,
    );
    if (nextAtMs !== Infinity) {
      this.#arm(nextAtMs);
    }
  }
}

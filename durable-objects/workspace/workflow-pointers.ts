import type { WorkflowPointer } from "../../src/contracts/workspaces/admission.ts";

/** Most pointers in memory. */
const KNOWN_MAX = 1_000;

/** The published version of each workflow, as the workspace was told. */
export class WorkflowPointers {
  readonly #sql: SqlStorage;
  /** Pointers read since the last change of one: every submit needs its workflow's pointer. */
  readonly #known = new Map<string, WorkflowPointer>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(workflowId: string): WorkflowPointer | undefined {
    const known = this.#known.get(workflowId);
    if (known !== undefined) {
      return known;
    }
    const row = this.#sql
      .exec<{
        name: string;
        status: WorkflowPointer["status"];
        version: number;
        seq: number;
      }>(
        "SELECT name, status, version, seq FROM workflows WHERE workflow_id = ? AND is_removed = 0",
        workflowId,
      )
      .toArray()[0];
    if (row === undefined) {
      return undefined;
    }
    const pointer = { workflow_id: workflowId, ...row };
    if (this.#known.size >= KNOWN_MAX) {
      this.#known.clear();
    }
    this.#known.set(workflowId, pointer);
    return pointer;
  }

  /** Keeps the update with the highest `seq`; a removed workflow stays removed. */
  set(pointer: WorkflowPointer): void {
    this.forget();
    this.#sql.exec(
      `INSERT INTO workflows VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT (workflow_id) DO UPDATE SET
         name = excluded.name, status = excluded.status, version = excluded.version, seq = excluded.seq
       WHERE excluded.seq > seq AND is_removed = 0`,
      pointer.workflow_id,
      pointer.name,
      pointer.status,
      pointer.version,
      pointer.seq,
    );
  }

  remove(workflowId: string): void {
    this.forget();
    this.#sql.exec(
      `INSERT INTO workflows VALUES (?, '', 'archived', 0, 0, 1)
       ON CONFLICT (workflow_id) DO UPDATE SET is_removed = 1`,
      workflowId,
    );
  }

  /** The state in memory may differ from the rows. */
  forget(): void {
    this.#known.clear();
  }
}

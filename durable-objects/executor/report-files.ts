import type { TaskOutcome, TaskReport } from "../../src/contracts/runs/task.ts";
import { encodeSpilled, encodeValue } from "../../src/engine/values.ts";
import type { FilePack, FileRef } from "../../src/lib/files/file-ref.ts";
import { PACK_BYTES_MAX } from "../../src/lib/files/held-file-sizes.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { packPrefix } from "../../src/storage/r2/get-packed.ts";
import { filesMetadata } from "../../src/storage/r2/measure-run-files.ts";

/**
 * A store that does not respond in this time counts as down. Shorter than the time limit of a report (`report-batch`).
 */
const PUT_MAX_MS = 8_000;

const UNAVAILABLE: TaskOutcome = {
  kind: "failed",
  code: "STORAGE_UNAVAILABLE",
  message: "The file store did not accept the file.",
  retryable: true,
  retry_after_ms: null,
};

/** A file of an outcome that is not stored yet. The value of its output is empty until then. */
export interface UnstoredFile {
  /** Index of the output in the outcome. */
  readonly index: number;
  /** With its content. */
  readonly file: FileRef;
  /** Contains the JSON text of a value. */
  readonly isSpilled: boolean;
}

interface Waiting {
  readonly files: readonly UnstoredFile[];
  readonly release: () => void;
}

interface Placed extends UnstoredFile {
  readonly taskId: number;
  pack: FilePack | undefined;
  isStored: boolean;
}

interface Place {
  readonly bucket: R2Bucket;
  readonly workspaceId: string;
  readonly runId: string;
}

/**
 * Files that wait for their tasks' reports. Files reported together are stored together in one R2 object (a pack); a
 * single file becomes an object under its own key.
 */
export class ReportFiles {
  readonly #place: Place;
  readonly #waiting = new Map<number, Waiting>();
  /** Prepared reports by the given report, so that a repeat stores nothing again. */
  readonly #complete = new WeakMap<TaskReport, TaskReport>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Keeps the files of a task until they are stored or dropped; then calls `release`. */
  keep(taskId: number, files: readonly UnstoredFile[], release: () => void): void {
    if (files.length === 0) {
      release();
    } else {
      this.#waiting.set(taskId, { files, release });
    }
  }

  forget(taskId: number): void {
    this.#waiting.get(taskId)?.release();
    this.#waiting.delete(taskId);
  }

  forgetAll(): void {
    for (const taskId of this.#waiting.keys()) {
      this.forget(taskId);
    }
  }

  /**
   * Returns the reports with the addresses of their files. If the store did not accept a task's file, the task has
   * failed and can be retried. Never throws.
   */
  async store(reports: readonly TaskReport[]): Promise<readonly TaskReport[]> {
    const files = reports.flatMap(({ task_id: taskId }) =>
      (this.#waiting.get(taskId)?.files ?? []).map((file): Placed => ({
        ...file,
        taskId,
        pack: undefined,
        isStored: false,
      })),
    );
    for (const group of packsOf(files)) {
      await this.#put(group);
    }
    const placed = Map.groupBy(files, ({ taskId }) => taskId);
    return reports.map((report) => {
      const known = this.#complete.get(report);
      if (known !== undefined) {
        return known;
      }
      const complete = completed(report, placed.get(report.task_id) ?? []);
      this.#complete.set(report, complete);
      this.forget(report.task_id);
      return complete;
    });
  }

  async #put(files: readonly Placed[]): Promise<void> {
    const { bucket, workspaceId, runId } = this.#place;
    const [first] = files;
    const isAlone = files.length === 1;
    const key =
      isAlone && first !== undefined
        ? first.file.key
        : `${packPrefix(workspaceId, runId)}${crypto.randomUUID()}`;
    const bytes = new Uint8Array(files.reduce((sum, { file }) => sum + file.sizeBytes, 0));
    let offset = 0;
    for (const one of files) {
      bytes.set(one.file.content?.bytes ?? new Uint8Array(), offset);
      one.pack = isAlone ? undefined : { key, offset };
      offset += one.file.sizeBytes;
    }
    const options = isAlone
      ? { httpMetadata: { contentType: first?.file.contentType ?? "application/octet-stream" } }
      : { customMetadata: filesMetadata(files.length) };
    try {
      await withDeadline(bucket.put(key, bytes, options), PUT_MAX_MS);
    } catch {
      return;
    }
    for (const one of files) {
      one.isStored = true;
    }
  }
}

/** Splits files, in order, into groups that fit into one object. */
function packsOf(files: readonly Placed[]): Placed[][] {
  const packs: Placed[][] = [];
  let left = 0;
  for (const one of files) {
    left -= one.file.sizeBytes;
    if (left < 0) {
      packs.push([]);
      left = PACK_BYTES_MAX - one.file.sizeBytes;
    }
    packs.at(-1)?.push(one);
  }
  return packs;
}

function completed(report: TaskReport, files: readonly Placed[]): TaskReport {
  const { outcome } = report;
  if (outcome.kind !== "ok") {
    return report;
  }
  const outputs = [...outcome.outputs];
  for (const { index, file, isSpilled, pack } of files.filter(({ isStored }) => isStored)) {
    const stored = file.with({ content: undefined, pack });
    const port = outputs[index]?.port ?? "";
    outputs[index] = { port, value: isSpilled ? encodeSpilled(stored) : encodeValue(stored) };
  }
  if (outputs.some(({ value }) => value === "")) {
    // Not stored, or dropped because the lease seemed to be lost.
    const { task_id, fence, duration_ms } = report;
    return { task_id, fence, duration_ms, outcome: UNAVAILABLE };
  }
  return { ...report, outcome: { kind: "ok", outputs } };
}

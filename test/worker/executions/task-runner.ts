/** Plays the runner for one run: claims its tasks and reports the results that a test gives. */
import { env } from "cloudflare:workers";
import type {
  Claim,
  LeasedTask,
  RunTasksApi,
  TaskOutcome,
} from "../../../src/contracts/runs/task.ts";
import { encodeValue } from "../../../src/engine/values.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { RunValue } from "../../../src/nodes/define-ports.ts";

export class TaskRunner {
  readonly #api: RunTasksApi;
  #chunk = 0;

  constructor(runId: string) {
    this.#api = env.RUN.get(env.RUN.idFromName(runId)) as unknown as RunTasksApi;
  }

  /** Returns the tasks of the next chunk as soon as it exists. */
  async claim(): Promise<readonly LeasedTask[]> {
    return (await this.claimed()).tasks;
  }

  /** The same, with the whole response of the claim. */
  async claimed(): Promise<Claim> {
    const first = this.#chunk + 1;
    for (let tries = 0; tries < 400; tries++) {
      // An object that has lost its memory leaves numbers out.
      for (let chunk = first; chunk < first + 70; chunk++) {
        const claim: Claim | null = await this.#api.claim({ v: 1, chunk, executor: "test" });
        if (claim !== null) {
          this.#chunk = chunk;
          return claim;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`no chunk came from ${String(first)} on`);
  }

  report(task: LeasedTask, ending: Ending, duration_ms = 7): Promise<{ cancel: boolean }> {
    const { task_id, fence } = task;
    const outcome = typeof ending === "function" ? ending(task) : ending;
    return this.#api.report({ v: 1, reports: [{ task_id, fence, duration_ms, outcome }] });
  }
}

/** The result of a task, given the task. */
type Ending = TaskOutcome | ((task: LeasedTask) => TaskOutcome);

/** Outputs as a task reports them: its files lie under the prefix that its claim gave. */
export function okOutcome(outputs: Readonly<Record<string, RunValue>>): Ending {
  return (task) => ({
    kind: "ok",
    outputs: Object.entries(outputs).map(([port, value]) => ({
      port,
      value: encodeValue(value instanceof FileRef ? ownFile(task, value) : value),
    })),
  });
}

function ownFile(task: LeasedTask, file: FileRef): FileRef {
  const { name, contentType, sizeBytes, sha256 } = file;
  const key = `${task.file_prefix}${file.key.replaceAll("/", "-")}`;
  return new FileRef({ key, name, contentType, sizeBytes, sha256 });
}

export function failedOutcome(code: string, message: string, retryable = false): TaskOutcome {
  return { kind: "failed", code, message, retryable, retry_after_ms: null };
}

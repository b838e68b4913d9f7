/**
 * Replaces the API Worker in executor tests: a run object with the claim protocol (fences, leases, reports) over tasks
 * that the test scripts. It records every call with its time.
 */
import { DurableObject } from "cloudflare:workers";
import type {
  Claim,
  ElementPage,
  ElementsRequest,
  EmitResponse,
  EmittedText,
  RunTasksApi,
  TaskReport,
} from "../../../src/contracts/runs/task.ts";
import type { Order, RunLog, Script, ScriptedTask } from "./script.ts";

interface Leased {
  readonly scripted: ScriptedTask;
  fence: number;
  attempt: number;
  leaseEndsMs: number;
  isDone: boolean;
  token?: string;
}

interface Env {
  readonly RUN: DurableObjectNamespace<RunObject>;
  readonly NODE_TASKS: Queue<unknown>;
}

export class RunObject extends DurableObject<Env> implements RunTasksApi {
  readonly #log: RunLog = { claims: [], reports: [], heartbeats: [], pages: [], emitted: [] };
  readonly #tasks = new Map<number, Leased>();
  #script: Script = { workspace_id: "", tasks: [] };
  #calls = 0;
  #reportFaults = 0;
  #isCancelled = false;
  readonly #texts = new Map<number, string>();

  script(script: Script): void {
    this.#script = script;
    for (const scripted of script.tasks) {
      const fresh = { scripted, fence: 0, attempt: 0, leaseEndsMs: 0, isDone: false };
      this.#tasks.set(scripted.task_id, fresh);
    }
  }

  /** The next `count` reports fail before they are processed, as if the object could not be reached. */
  failReports(count: number): void {
    this.#reportFaults = count;
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  /** Another executor has them: the fence increases. */
  steal(taskIds: readonly number[]): void {
    for (const taskId of taskIds) {
      const task = this.#tasks.get(taskId);
      if (task !== undefined) {
        task.fence++;
      }
    }
  }

  log(): RunLog {
    return this.#log;
  }

  claim({ chunk }: { v: 1; chunk: number; executor: string }): Promise<Claim | null> {
    const leaseMs = this.#script.lease_ms ?? 30_000;
    const ready = [...this.#tasks.values()].filter(
      (task) =>
        task.scripted.chunk === chunk &&
        !task.isDone &&
        !this.#isCancelled &&
        task.leaseEndsMs < Date.now(),
    );
    this.#log.claims.push({ atMs: Date.now(), chunk, leased: ready.length });
    if (ready.length === 0) {
      return Promise.resolve(null);
    }
    return Promise.resolve({
      run_id: this.ctx.id.name ?? "",
      workspace_id: this.#script.workspace_id,
      correlation_id: "test",
      lease_ms: leaseMs,
      heartbeat_ms: this.#script.heartbeat_ms ?? 5_000,
      tasks: ready.map((task) => {
        task.fence++;
        task.attempt++;
        task.leaseEndsMs = Date.now() + leaseMs;
        const { scripted, fence, attempt } = task;
        return {
          task_id: scripted.task_id,
          fence,
          attempt,
          key: `call_${scripted.task_id}`,
          ...(task.token === undefined ? {} : { token: task.token }),
          node_id: "n1",
          node_type: scripted.node_type,
          params_json: JSON.stringify(scripted.params),
          inputs: scripted.inputs ?? [],
          time_limit_ms: scripted.time_limit_ms ?? 60_000,
          file_prefix: `${this.#script.workspace_id}/${scripted.task_id}.${attempt}/`,
          indices: [],
        };
      }),
    });
  }

  resume(): Promise<null> {
    return Promise.resolve(null);
  }

  report({ reports }: { v: 1; reports: readonly TaskReport[] }): Promise<{ cancel: boolean }> {
    if (this.#reportFaults > 0) {
      this.#reportFaults--;
      return Promise.reject(new Error("unreachable, says the test"));
    }
    const call = ++this.#calls;
    for (const report of reports) {
      const task = this.#tasks.get(report.task_id);
      const isStale = task === undefined || task.fence !== report.fence || task.isDone;
      this.#log.reports.push({ atMs: Date.now(), call, isStale, report });
      if (!isStale && report.outcome.kind === "waiting") {
        // Free for the next claim.
        task.token = report.outcome.token;
        task.leaseEndsMs = 0;
        task.attempt--;
      } else if (!isStale && report.outcome.kind === "given_back") {
        task.leaseEndsMs = 0;
        task.attempt--;
      } else if (!isStale) {
        task.isDone = true;
      }
    }
    return Promise.resolve({ cancel: this.#isCancelled });
  }

  /** The texts of the tasks are lost, as with the memory of a run object. */
  forgetTexts(): void {
    this.#texts.clear();
  }

  gaveUp(): Promise<void> {
    return Promise.resolve();
  }

  emit({ texts }: { v: 1; texts: readonly EmittedText[] }): Promise<EmitResponse> {
    this.#log.emitted.push({ atMs: Date.now(), texts });
    const resend: number[] = [];
    for (const { task_id, at, text } of texts) {
      const known = this.#texts.get(task_id) ?? "";
      if (at > known.length) {
        resend.push(task_id);
      } else {
        this.#texts.set(task_id, known + text.slice(known.length - at));
      }
    }
    return Promise.resolve({ resend, stop: [] });
  }

  /** Pages of two; each is refused once, as if the object could not be reached. */
  elements({ task_id, fence, from }: ElementsRequest): Promise<ElementPage | null> {
    const task = this.#tasks.get(task_id);
    const isRepeat = this.#log.pages.some((page) => page.task_id === task_id && page.from === from);
    this.#log.pages.push({ atMs: Date.now(), task_id, from });
    if (!isRepeat) {
      return Promise.reject(new Error("unreachable, says the test"));
    }
    const all = task?.scripted.elements ?? [];
    return Promise.resolve(
      task?.fence === fence
        ? { elements: all.slice(from, from + 2), next: from + 2 < all.length ? from + 2 : null }
        : null,
    );
  }

  heartbeat({ tasks }: { v: 1; tasks: readonly { task_id: number; fence: number }[] }) {
    this.#log.heartbeats.push({ atMs: Date.now(), tasks: tasks.map(({ task_id }) => task_id) });
    const lost: number[] = [];
    for (const { task_id, fence } of tasks) {
      const task = this.#tasks.get(task_id);
      if (task === undefined || task.fence !== fence) {
        lost.push(task_id);
      } else {
        task.leaseEndsMs = Date.now() + (this.#script.lease_ms ?? 30_000);
      }
    }
    return Promise.resolve({ cancel: this.#isCancelled, lost });
  }
}

async function obey(order: Order, env: Env): Promise<unknown> {
  switch (order.do) {
    case "send":
      await env.NODE_TASKS.sendBatch(order.messages.map((body) => ({ body })));
      return Date.now();
    case "script":
      return env.RUN.get(env.RUN.idFromName(order.run)).script(order.script);
    case "failReports":
      return env.RUN.get(env.RUN.idFromName(order.run)).failReports(order.count);
    case "forgetTexts":
      return env.RUN.get(env.RUN.idFromName(order.run)).forgetTexts();
    case "cancel":
      return env.RUN.get(env.RUN.idFromName(order.run)).cancel();
    case "steal":
      return env.RUN.get(env.RUN.idFromName(order.run)).steal(order.tasks);
    case "log":
      return (await env.RUN.get(env.RUN.idFromName(order.run)).log()) as RunLog;
  }
}

export default {
  async fetch(request, env) {
    return Response.json((await obey(await request.json<Order>(), env)) ?? null);
  },
} satisfies ExportedHandler<Env>;

/** A caller that submits, retries and reads runs of one workflow, and plays their runner. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { call, type Caller, newCaller, operator, type Reply } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

export class RetryCaller {
  readonly caller: Caller;
  /** A workflow with one paid code for each text. */
  readonly codes: string;

  private constructor(caller: Caller, codes: string) {
    this.caller = caller;
    this.codes = codes;
  }

  static async make(plan?: Readonly<Record<string, unknown>>): Promise<RetryCaller> {
    const caller = await newCaller();
    if (plan !== undefined) {
      const code = `p-${crypto.randomUUID().slice(0, 8)}`;
      const limits = { requests_per_minute: 100_000, ...plan };
      await operator("PUT", `/admin/v1/plans/${code}`, { limits });
      await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: code });
    }
    return new RetryCaller(caller, await publishedWorkflow(caller, CODES));
  }

  get(path: string): Promise<Reply> {
    return call("GET", `/api/v1/executions/${path}`, { token: this.caller.token });
  }

  retry(id: string, json?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return call("POST", `/api/v1/executions/${id}/retry`, {
      token: this.caller.token,
      headers,
      ...(json !== undefined && { json }),
    });
  }

  submit(texts: readonly string[], workflow = this.codes): Promise<string> {
    return this.submitted({ workflow, inputs: { rows: { value: JSON.stringify(texts) } } });
  }

  async submitted(body: unknown): Promise<string> {
    const { token } = this.caller;
    const { json, status, text } = await call("POST", "/api/v1/executions", { token, json: body });
    expect(status, text).toBe(202);
    return json.id;
  }

  /** Replaces the working definition. */
  async edit(workflow: string, definition: unknown): Promise<void> {
    const { token } = this.caller;
    const path = `/api/v1/workflows/${workflow}/definition`;
    const { headers } = await call("GET", path, { token });
    const match = { "if-match": headers.get("etag") ?? "" };
    const put = await call("PUT", path, { token, json: definition, headers: match });
    expect(put.status, put.text).toBe(200);
  }

  async ended(id: string): Promise<Reply["json"]> {
    return waitUntil(`${id} to end`, async () => {
      const { json } = await this.get(id);
      return json.completed_at === null ? undefined : json;
    });
  }

  async ledger(): Promise<readonly LedgerEntry[]> {
    const path = `/admin/v1/workspaces/${this.caller.workspaceId}/ledger?limit=100`;
    return (await operator("GET", path)).json.data;
  }

  /** Milli-credits that were reserved for a run in all. */
  async reservedFor(id: string): Promise<number> {
    return (await this.ledger())
      .filter(({ kind, run }) => kind === "reserve" && run === id)
      .reduce((sum, entry) => sum + entry.milli_credits, 0);
  }
}

interface LedgerEntry {
  readonly kind: string;
  readonly run?: string;
  readonly milli_credits: number;
  readonly balance_after: number;
}

export const image = (name: string) =>
  new FileRef({ key: name, name, contentType: "image/png", sizeBytes: 3 });

/** Runs all tasks of a run, of which those at `failing` fail; returns the indices of the elements that ran. */
export async function work(
  id: string,
  count: number,
  failing: readonly number[] = [],
): Promise<number[]> {
  const runner = new TaskRunner(id);
  const ran: number[] = [];
  while (ran.length < count) {
    for (const task of await runner.claim()) {
      const [index = -1] = task.indices;
      ran.push(index);
      if (failing.includes(index)) {
        await runner.report(task, failedOutcome("INVALID_INPUT", "no"));
        continue;
      }
      await env.FILES.put(`${task.file_prefix}code-${index}.png`, "png");
      await runner.report(
        task,
        okOutcome({ image: image(`code-${index}.png`), check: { row: index } }),
      );
    }
  }
  return ran.toSorted((a, b) => a - b);
}

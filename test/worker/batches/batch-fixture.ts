import { expect } from "vitest";
import { call, type Caller, newCaller, operator, type Reply } from "../../support/api-caller.ts";
import { waitUntil } from "../../support/wait-until.ts";

export const BATCHES = "/api/v1/batch-executions";

/** Calls of one workspace's batches. */
export class BatchFixture {
  readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** A workspace whose plan has these limits. */
  static async onPlan(limits: Record<string, unknown>): Promise<BatchFixture> {
    const code = `p-${crypto.randomUUID().slice(0, 8)}`;
    await operator("PUT", `/admin/v1/plans/${code}`, {
      limits: { requests_per_minute: 100_000, ...limits },
    });
    const caller = await newCaller();
    await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: code });
    return new BatchFixture(caller);
  }

  post(path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const { token } = this.caller;
    return call("POST", BATCHES + path, {
      token,
      headers,
      ...(json !== undefined && { json }),
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return call("GET", BATCHES + path, { token: this.caller.token, headers });
  }

  /** Creates a batch, and returns its id. */
  async create(body: unknown): Promise<string> {
    const created = await this.post("", body);
    expect([created.status, created.text]).toEqual([202, expect.any(String)]);
    return created.json.id;
  }

  /** Waits for a state of the batch; its counters must add up in every answer. */
  until(id: string, what: string, isSo: (batch: Reply["json"]) => boolean): Promise<Reply["json"]> {
    return waitUntil(`${id} to be ${what}`, async () => {
      const { json } = await this.get(`/${id}`);
      const { pending, running, completed, failed, cancelled, total_items } = json;
      expect(pending + running + completed + failed + cancelled).toBe(total_items);
      return isSo(json) && json;
    });
  }

  ended(id: string): Promise<Reply["json"]> {
    return this.until(id, "ended", ({ completed_at }) => completed_at !== null);
  }

  /** The runs of a batch, newest first. */
  async runs(id: string): Promise<Reply["json"]> {
    const { token } = this.caller;
    return (await call("GET", `/api/v1/executions?batch=${id}&limit=100`, { token })).json;
  }
}

/** Items with a text each for the workflow that echoes it. */
export function wordItems(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    inputs: { words: { value: JSON.stringify(`word ${String(at)}`) } },
    client_reference: `row ${String(at)}`,
  }));
}

/** Divides by its input: 0 fails. */
export const QUOTIENT = {
  nodes: [
    { id: "by", type: "input/number", label: "By", parameters: { required: true } },
    { id: "divide", type: "utility/calculate", parameters: { expression: "1 / b" } },
    { id: "out", type: "output/json", label: "Out", parameters: {} },
  ],
  connections: [
    { from: { node: "by", port: "number" }, to: { node: "divide", port: "b" } },
    { from: { node: "divide", port: "result" }, to: { node: "out", port: "json" } },
  ],
};

export function byItems(...numbers: number[]) {
  return numbers.map((by) => ({ inputs: { by: { value: String(by) } } }));
}

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ScheduleStore } from "../../../durable-objects/schedule/schedule-store.ts";
import { call, type Call, type Caller, newCaller, operator, type Reply } from "../api-caller.ts";
import { CODES } from "../paid-definitions.ts";
import { publishedWorkflow } from "../published-workflow.ts";

export const SCHEDULES = "/api/v1/schedules";

/** A year away: the alarm of such a schedule does not fire by itself in a test. */
export const FAR_CRON = "0 0 1 1 *";

const HOUR_MS = 3_600_000;

const WORDS = { words: { value: '"hi"' } };
/** A run of `CODES` that no test's runner works on stays live. */
const ROWS = { rows: { value: '["a row"]' } };

/** The routes of schedules for one caller, and their objects with clocks that a test sets. */
export class ScheduleApi {
  readonly caller: Caller;
  readonly workflow: string;
  readonly #inputs: object;

  constructor(caller: Caller, workflow: string, inputs: object = WORDS) {
    this.caller = caller;
    this.workflow = workflow;
    this.#inputs = inputs;
  }

  /** In a new workspace, on a plan of its own if there are `limits`; the runs end at once. */
  static async make(limits?: Record<string, number>): Promise<ScheduleApi> {
    const caller = await onPlan(limits);
    return new ScheduleApi(caller, await publishedWorkflow(caller));
  }

  /** The same with runs that stay live until they are cancelled. */
  static async withLiveRuns(limits?: Record<string, number>): Promise<ScheduleApi> {
    const caller = await onPlan(limits);
    return new ScheduleApi(caller, await publishedWorkflow(caller, CODES), ROWS);
  }

  send(method: string, path: string, options: Omit<Call, "token"> = {}): Promise<Reply> {
    return call(method, `${SCHEDULES}${path}`, { token: this.caller.token, ...options });
  }

  create(fields: object = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const timing = "cron" in fields || "interval_seconds" in fields ? {} : { cron: FAR_CRON };
    const json = {
      name: "Test",
      workflow: this.workflow,
      inputs: this.#inputs,
      ...timing,
      ...fields,
    };
    return this.send("POST", "", { json, headers });
  }

  /** Creates a schedule and returns its id. Throws if it is refused. */
  async made(fields: object = {}): Promise<string> {
    const { status, json, text } = await this.create(fields);
    if (status !== 201) {
      throw new Error(`the schedule was refused: ${text}`);
    }
    return json.id;
  }

  async get(id: string) {
    return (await this.send("GET", `/${id}`)).json;
  }

  patch(id: string, json: object, etag = "*"): Promise<Reply> {
    return this.send("PATCH", `/${id}`, { json, headers: { "if-match": etag } });
  }

  /** The firings, oldest first. */
  async firings(id: string): Promise<Record<string, unknown>[]> {
    const { json } = await this.send("GET", `/${id}/firings?limit=100`);
    return json.data.toReversed();
  }

  async outcomes(id: string): Promise<unknown[]> {
    return (await this.firings(id)).map(({ outcome }) => outcome);
  }

  /** The runs that lists find by the schedule, oldest first. */
  async runs(id: string): Promise<Record<string, unknown>[]> {
    const { json } = await call("GET", `/api/v1/executions?schedule=${id}&limit=100`, {
      token: this.caller.token,
    });
    return json.data.toReversed();
  }

  stub(id: string): DurableObjectStub {
    return env.SCHEDULE.get(env.SCHEDULE.idFromName(id)) as unknown as DurableObjectStub;
  }

  /** Changes the stored rows of a schedule, whose object then wakes over them. */
  async withStore(
    id: string,
    change: (store: ScheduleStore, sql: SqlStorage) => void,
  ): Promise<void> {
    await runInDurableObject(this.stub(id), (_object, { storage }) => {
      change(new ScheduleStore(storage), storage.sql);
    });
    await evictDurableObject(this.stub(id));
  }

  /** Moves the past of a schedule: it was created, and last looked at the clock, this much earlier. */
  async age(id: string, byMs: number): Promise<void> {
    await this.withStore(id, (store) => {
      const record = store.record!;
      store.putRecord({ ...record, created_at_ms: record.created_at_ms - byMs });
      store.advance({ ...store.clock, scanned_ms: store.clock.scanned_ms - byMs }, []);
    });
  }

  /**
   * Creates a schedule whose clock has slept over the last `hours` of its hourly times; the next one is half an hour away.
   * Returns its id and these times.
   */
  async slept(hours: number, fields: object = {}): Promise<{ id: string; times: string[] }> {
    const startsMs = Date.now() - (hours - 0.5) * HOUR_MS;
    const id = await this.made({
      interval_seconds: 3_600,
      starts_at: new Date(startsMs).toISOString(),
      catch_up: "all",
      catch_up_window_seconds: 604_800,
      ...fields,
    });
    await this.age(id, (hours + 1) * HOUR_MS);
    const times = Array.from({ length: hours }, (_, i) =>
      new Date(startsMs + i * HOUR_MS).toISOString(),
    );
    return { id, times };
  }

  /** Rings the alarm of a schedule now. */
  ring(id: string): Promise<boolean> {
    return runDurableObjectAlarm(this.stub(id));
  }
}

async function onPlan(limits: Record<string, number> | undefined): Promise<Caller> {
  const caller = await newCaller();
  if (limits !== undefined) {
    const code = `p-${crypto.randomUUID().slice(0, 8)}`;
    await operator("PUT", `/admin/v1/plans/${code}`, {
      limits: { requests_per_minute: 100_000, ...limits },
    });
    await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: code });
  }
  return caller;
}

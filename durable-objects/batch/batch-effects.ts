import type { BatchRecord } from "../../src/contracts/batches/batch-object-api.ts";
import type {
  AdmitBatchReply,
  AdmittedMetadata,
  CloseOutcome,
  CloseRequest,
  RegisterBatchOutcome,
} from "../../src/contracts/workspaces/admission.ts";
import { BATCH_FINISHED_EVENT } from "../../src/contracts/webhooks/webhook.ts";
import type { BatchRunEnd } from "../../src/contracts/runs/run-object-api.ts";
import type { RunStart } from "../../src/contracts/runs/run.ts";
import { originParts } from "../../src/contracts/runs/run-origin.ts";
import type { BatchStatus } from "../../src/contracts/batches/batch-states.ts";
import { sharedSlots } from "../../src/domain/batches/batch-shares.ts";
import { batchEventBody } from "../../src/domain/batches/batch-view.ts";
import { getBillingPlan } from "../../src/domain/billing-plans/workspace-billing-plans.ts";
import {
  batchContext,
  type ItemRun,
  type ItemStart,
  retryItem,
} from "../../src/domain/batches/retry-item.ts";
import { shortenStart } from "../../src/domain/executions/submit/long-start.ts";
import { AppError } from "../../src/lib/errors/errors.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import type { Result } from "../../src/lib/result.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import type { AppContext } from "../../src/platform/context.ts";
import { createContext } from "../../src/platform/create-context.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { WorkflowVersions } from "../../src/storage/d1/workflow-versions.ts";
import { webhookEndpointObject } from "../../src/storage/objects/webhook-endpoint-object.ts";
import { runObject } from "../../src/storage/objects/run-object.ts";
import { runGroupObject } from "../../src/storage/objects/run-group-object.ts";
import { workspaceObject } from "../../src/storage/objects/workspace-object.ts";
import type { BatchEnd, BatchStore, Creation } from "./batch-store.ts";

/** Longest call of a run object. The workspace repeats a start that was not confirmed. */
const CALL_MAX_MS = 10_000;

/** An item whose run can be admitted, or the reason why it fails without a run. */
export type PreparedRun = ItemRun | { readonly code: string; readonly message: string };

/** The start of an admitted run, without the definition. */
export type AdmittedRun = ItemStart & AdmittedMetadata;

/** What is known of a run that was started. */
export interface StartedRun {
  /** What the batch has to report to the workspace; null if the run does. */
  readonly end: CloseRequest | null;
  /** `BatchItemRow.outputs`. */
  readonly outputs: string | null;
}

const NOTHING_KNOWN: StartedRun = { end: null, outputs: null };

function startedOf<T>(started: Result<T>): T {
  if (!started.ok) {
    throw new Error(`the run object refused its start: ${started.code}`);
  }
  return started.value;
}

function knownOf(ended: BatchRunEnd | null): StartedRun {
  if (ended === null) {
    return NOTHING_KNOWN;
  }
  const { outputs = null, ...end } = ended;
  return { end, outputs };
}

/** Calls of a batch's object to other objects. Each may be lost or repeated without harm. */
export class BatchEffects {
  readonly #env: Env;
  readonly #recordNow: () => BatchRecord;
  readonly #store: BatchStore;
  readonly #waitUntil: (work: Promise<unknown>) => void;
  readonly #log;
  #definition: { readonly version: number; readonly text: Promise<string> } | undefined;

  constructor(
    env: Env,
    recordNow: () => BatchRecord,
    store: BatchStore,
    waitUntil: (work: Promise<unknown>) => void,
  ) {
    this.#env = env;
    this.#recordNow = recordNow;
    this.#store = store;
    this.#waitUntil = waitUntil;
    const record = recordNow();
    this.#log = createLogger({ service: "edgeloom", object: "batch" }).with({
      batch_id: record.id,
      correlation_id: record.correlation_id,
    });
  }

  get #record(): BatchRecord {
    return this.#recordNow();
  }

  async register(status: BatchStatus, creation: Creation): Promise<RegisterBatchOutcome> {
    const { limits } = await this.#plan();
    const { id, workflow, client_reference, created_at_ms, exact_milli_credits } = this.#record;
    return await this.#workspace().registerBatch({
      v: 1,
      entry: {
        batch_id: id,
        workflow_id: workflow,
        client_reference,
        created_at_ms,
        status,
      },
      exact_milli_credits: creation.starts ? exact_milli_credits : null,
      monthly_milli_credits: limits.max_credits_per_month * 1000,
      idempotency: creation.idempotency,
    });
  }

  /** Returns the webhook endpoints that receive events of the batch. */
  list(status: BatchStatus): Promise<CloseOutcome> {
    return this.#workspace().updateBatch({ v: 1, batch_id: this.#record.id, status });
  }

  /** False if the workflow of the ended batch was deleted. */
  revive(): Promise<boolean> {
    return this.#workspace().reviveBatch({ v: 1, batch_id: this.#record.id });
  }

  /** Resolves when every endpoint has stored the event. Throws if one could not be reached; safe to repeat. */
  async announce(
    { event_id, moment }: BatchEnd,
    { webhook_endpoints: endpoints, base_url: known }: CloseOutcome,
  ): Promise<void> {
    if (endpoints.length === 0) {
      return;
    }
    const record = this.#record;
    const { limits } = await this.#plan();
    const share = sharedSlots(limits.max_concurrent_executions);
    const baseUrl = this.#env.BASE_URL === "" ? known : this.#env.BASE_URL;
    const body = batchEventBody(event_id, { record, ...moment }, share, baseUrl);
    await Promise.all(
      endpoints.map((id) =>
        webhookEndpointObject({ env: this.#env }, id).accept({
          v: 1,
          event_id,
          event_type: BATCH_FINISHED_EVENT,
          execution: null,
          workflow_id: record.workflow,
          body,
        }),
      ),
    );
  }

  /**
   * The start of the run of an item, which has the id `runId`. In a later attempt it continues the run that the item has;
   * an item without a run begins, with the version that the batch has now.
   */
  async startOf(index: number, runId: string, attempt: number): Promise<PreparedRun> {
    const record = this.#record;
    const last = attempt > 1 ? this.#store.lastRun(index) : undefined;
    if (last === undefined && record.bound_version === undefined) {
      return await this.#firstStart(index, runId);
    }
    try {
      const ctx = batchContext(this.#context(), record);
      const input = this.#store.inputs.get(index);
      return await retryItem(ctx, record, { index, runId, last, input });
    } catch (error) {
      if (error instanceof AppError && error.status < 500) {
        return { code: error.code, message: error.message };
      }
      throw error;
    }
  }

  async #firstStart(index: number, runId: string): Promise<ItemRun> {
    const { limits } = await this.#plan();
    const record = this.#record;
    const { liability, client_reference, ...input } = this.#store.inputs.get(index);
    const origin = originParts({ client_reference, batch: record.id, batch_index: index });
    const { references, ...common } = record.common;
    const all = input.references ?? references;
    const start = {
      v: 1,
      run_id: runId,
      workspace_id: record.workspace_id,
      organization_id: record.organization_id,
      correlation_id: record.correlation_id,
      workflow_id: record.workflow,
      workflow_name: record.workflow_name,
      workflow_version: record.workflow_version,
      ...common,
      ...input,
      ...(all.length > 0 && { references: all }),
      admission_limits: record.admission_limits,
      created_at_ms: Date.now(),
      max_outstanding_tasks: limits.max_outstanding_tasks,
      ...(origin !== undefined && { origin }),
      time_limit_ms: limits.max_run_seconds * 1000,
    } as const;
    return { start, liability };
  }

  /** Throws if the outcome is unknown: the runs may have been admitted. */
  async admit(
    offer: number,
    wanted: number,
    runs: readonly { readonly start: ItemStart; readonly liability: number }[],
    ends: readonly CloseRequest[] = [],
  ): Promise<AdmitBatchReply> {
    const { limits } = await this.#plan();
    const shortened = await Promise.all(
      runs.map(async ({ start, liability }) => ({
        start: await shortenStart(this.#env.FILES, start),
        exact_liability_milli_credits: liability,
      })),
    );
    const reply = await this.#workspace().admitBatch({
      v: 1,
      batch: this.#record.id,
      offer,
      wanted,
      runs: shortened,
      ...(ends.length > 0 && { ends }),
      max_concurrent_executions: limits.max_concurrent_executions,
      monthly_milli_credits: limits.max_credits_per_month * 1000,
    });
    for (const [at, { start }] of shortened.entries()) {
      const isKept = reply.outcomes[at]?.kind === "admitted";
      if (start.values_key !== undefined && !isKept) {
        this.#waitUntil(this.#env.FILES.delete(start.values_key));
      }
    }
    return reply;
  }

  /** Those of the runs that exist. Offers up to number `settles` are not accepted later. */
  runs(runIds: readonly string[], settles = 0) {
    const { id } = this.#record;
    return this.#workspace().batchRuns({ v: 1, batch: id, settles, run_ids: runIds });
  }

  /**
   * Starts an admitted run, which reports its end itself if `isHeard`. Never throws: the workspace repeats a start that
   * does not arrive, or whose end it does not hear of.
   */
  async start(start: AdmittedRun, isHeard: boolean): Promise<StartedRun> {
    try {
      const definition_json = await this.#definitionText();
      const whole: RunStart = { ...start, definition_json };
      const run = runObject({ env: this.#env }, start.run_id);
      if (isHeard) {
        const outputs = startedOf(await withDeadline(run.startOfHeardBatch(whole), CALL_MAX_MS));
        return { end: null, outputs };
      }
      return knownOf(startedOf(await withDeadline(run.startOfBatch(whole), CALL_MAX_MS)));
    } catch (error) {
      this.#deferred([start], error);
      return NOTHING_KNOWN;
    }
  }

  /**
   * Has admitted runs of one group carried out there. Null for one that must be started in its own object. Never throws: the
   * workspace repeats starts of which nothing is known.
   */
  async startGroup(starts: readonly AdmittedRun[]): Promise<readonly (StartedRun | null)[]> {
    try {
      const definition_json = await this.#definitionText();
      const group = runGroupObject({ env: this.#env }, starts[0]?.run_id ?? "");
      const ends = await withDeadline(
        group.startAll({ v: 1, definition_json, starts }),
        CALL_MAX_MS,
      );
      return ends.map((end) => (end === null ? null : knownOf(end)));
    } catch (error) {
      this.#deferred(starts, error);
      return starts.map(() => NOTHING_KNOWN);
    }
  }

  #deferred(starts: readonly AdmittedRun[], error: unknown): void {
    for (const { run_id } of starts) {
      this.#log.error("execution.start_deferred", { run_id, reason: describeCause(error) });
    }
  }

  /** Has an ended run hand its event over. Never throws: the workspace repeats the start of a run whose event is left. */
  async handOver(runId: string): Promise<void> {
    try {
      await withDeadline(runObject({ env: this.#env }, runId).promote({ v: 1 }), CALL_MAX_MS);
    } catch (error) {
      this.#log.error("batch.event_deferred", { run_id: runId, reason: describeCause(error) });
    }
  }

  /** Requests the cancellation of a run. False if it must be requested again. Never throws. */
  async cancel(runId: string): Promise<boolean> {
    const { workspace_id, base_url } = this.#record;
    try {
      const result = await withDeadline(
        runObject({ env: this.#env }, runId).cancel({ v: 1, workspace_id, base_url }),
        CALL_MAX_MS,
      );
      return result.ok || result.code === "already_terminal";
    } catch (error) {
      this.#log.error("batch.run_not_cancelled", { run_id: runId, reason: describeCause(error) });
      return false;
    }
  }

  unprepared(index: number, error: unknown): void {
    this.#log.error("batch.run_not_prepared", { index, reason: describeCause(error) });
  }

  failed(error: unknown): void {
    this.#log.error("batch.turn_failed", { reason: describeCause(error) });
  }

  #workspace() {
    return workspaceObject({ env: this.#env }, this.#record.workspace_id);
  }

  #context(): AppContext {
    const { correlation_id, base_url } = this.#record;
    return createContext(this.#env, correlation_id, base_url, this.#waitUntil);
  }

  #plan() {
    const ctx = this.#context();
    const { id, workspace_id: workspaceId, organization_id: organizationId } = this.#record;
    return getBillingPlan(ctx, { keyId: id, workspaceId, organizationId });
  }

  /** The definition of the batch's version, read once while the object is awake. */
  async #definitionText(): Promise<string> {
    const { workspace_id, workflow, workflow_version: version } = this.#record;
    if (this.#definition?.version !== version) {
      const read = async () => {
        const versions = new WorkflowVersions(this.#env, workspace_id);
        const stored = await versions.readShared(workflow, version, this.#waitUntil);
        if (stored === undefined) {
          throw new Error("the definition of the batch's version is not stored");
        }
        return stored.text;
      };
      this.#definition = { version, text: read() };
    }
    try {
      return await this.#definition.text;
    } catch (error) {
      this.#definition = undefined;
      throw error;
    }
  }
}

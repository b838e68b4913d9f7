import { DurableObject } from "cloudflare:workers";
import type {
  BatchRunEnd,
  RunCellRequest,
  RunCellText,
  RunDocument,
  RunExpiry,
  RunExpiryRequest,
  RunFile,
  RunFileRequest,
  RunIterationsRequest,
  RunObjectApi,
  RunOutputsRequest,
  RunPastDocument,
  RunPastRequest,
  RunPoll,
  RunPollRequest,
  RunReadRequest,
  RunResultDocument,
  RunResultRequest,
} from "../../src/contracts/runs/run-object-api.ts";
import type {
  DescribeSourceRequest,
  HoldState,
  OpenedSource,
  OpenSourceRequest,
  SourceCellsPage,
  SourceCellsRequest,
  SourceDescription,
} from "../../src/contracts/runs/run-source.ts";
import { readEventsRequest } from "../../src/contracts/runs/run-events-request.ts";
import type {
  ComparableRun,
  ElementsPage,
  RunComparisonApi,
  RunElementsRequest,
  RunValuesRequest,
} from "../../src/contracts/runs/run-comparison-api.ts";
import type { ExecutionListItem } from "../../src/contracts/runs/execution-requests.ts";
import { type Execution, isTerminal, type RunStart } from "../../src/contracts/runs/run.ts";
import type { Trace, TraceIterationPage } from "../../src/contracts/runs/trace.ts";
import type {
  Claim,
  ElementPage,
  ElementsRequest,
  ClaimRequest,
  EmitRequest,
  EmitResponse,
  HeartbeatRequest,
  ReportResponse,
  RunTasksApi,
  TaskReport,
  StoredValue,
} from "../../src/contracts/runs/task.ts";
import type {
  HeldContent,
  RunContentsRequest,
  RunExportApi,
  RunExportPage,
  RunExportRequest,
} from "../../src/contracts/runs/zip-export.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import type { Env } from "../../src/platform/env.ts";
import { neighboursOf } from "./active-tenants.ts";
import { beginRun } from "./begin-run.ts";
import { isAbandoned } from "./live-run.ts";
import { type RunParts, runParts } from "./run-parts.ts";
import { eventResponse } from "./views/event-streams.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { parsed, parseEntries } from "../shared/entries.ts";
import { EVENTS_REQUEST, RUN_ENTRIES } from "./run-entries.ts";

/** A heartbeat is answered within this time, well before its lease ends. */
const HEARTBEAT_HELD_MAX_MS = 10_000;

/**
 * An advance that waits for a call leaves work overdue, and arms the alarm when it continues: until then the alarm
 * fires at this interval.
 */
const TURN_HELD_MS = 1_000;

/**
 * One run. This class is the RPC surface; RunStore has the state, src/engine the decisions, RunViews the documents that
 * callers read.
 */
export class RunObject
  extends DurableObject<Env>
  implements RunObjectApi, RunTasksApi, RunExportApi, RunComparisonApi
{
  readonly #parts: RunParts;
  readonly #store: RunParts["store"];
  readonly #access: RunParts["access"];
  readonly #views: RunParts["views"];

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#parts = runParts({
      env,
      storage: ctx.storage,
      runId: ctx.id.name,
      waitUntil: (promise) => {
        ctx.waitUntil(promise);
      },
    });
    this.#store = this.#parts.store;
    this.#access = this.#parts.access;
    this.#views = this.#parts.views;
  }

  async start(start: RunStart): Promise<Result<Execution>> {
    if (start.origin?.batch != null) {
      // Its group may have carried it out, which its batch does not know yet, or has lost.
      await this.#access.arrive(true);
    }
    const show = () => this.#access.execution(start.workspace_id, "");
    const started = await beginRun(this.#parts, start, show);
    if (started.ok) {
      this.ctx.waitUntil(started.value.loop.advance());
    }
    return started.ok ? ok(started.value.shown) : started;
  }

  async startOfBatch(start: RunStart): Promise<Result<BatchRunEnd | null>> {
    const started = await beginRun(this.#parts, start, () => null);
    return started.ok ? ok(this.#access.endForBatch(started.value.loop)) : started;
  }

  async startOfHeardBatch(start: RunStart): Promise<Result<string | null>> {
    const started = await beginRun(this.#parts, start, () => null);
    return started.ok ? ok(this.#access.outputsForBatch(started.value.loop)) : started;
  }

  async read(request: RunPollRequest): Promise<Result<RunPoll>> {
    await this.#access.arrive();
    const refusal = this.#access.refusal(request, true);
    if (refusal !== undefined) {
      return refusal;
    }
    this.ctx.waitUntil(this.#access.wake().loop.goOn());
    if (request.wait_ms > 0 && !isTerminal(this.#access.wake().run.state.status)) {
      await this.#parts.streams.untilEnded(request.wait_ms);
    }
    return ok(this.#views.poll(this.#access.awake(), request));
  }

  listItem(request: { v: 1; workspace_id: string }): Promise<Result<ExecutionListItem>> {
    return this.#access.show(request, (live) => ok(this.#views.listItem(live)), { isStatus: true });
  }

  result(request: RunResultRequest): Promise<Result<RunResultDocument>> {
    return this.#access.show(request, async (live, memory) =>
      ok(await this.#views.result(live, request, memory)),
    );
  }

  past(request: RunPastRequest): Promise<Result<RunPastDocument>> {
    return this.#access.show(request, (live, memory) => this.#views.past(live, request, memory));
  }

  comparable(request: RunReadRequest): Promise<Result<ComparableRun>> {
    return this.#access.show(request, (live, memory) =>
      this.#views.comparable(live, request, memory),
    );
  }

  comparableElements(request: RunElementsRequest): Promise<Result<ElementsPage>> {
    return this.#access.show(request, (live, memory) =>
      this.#views.comparableElements(live, request, memory),
    );
  }

  comparableValues(request: RunValuesRequest): Promise<Result<readonly (StoredValue | null)[]>> {
    return this.#access.show(request, (live, memory) =>
      this.#views.comparableValues(live, request, memory),
    );
  }

  /** The events for `openRunEvents`. */
  override async fetch(request: Request): Promise<Response> {
    const asked = parsed("RunObject.fetch", EVENTS_REQUEST, readEventsRequest(request.url));
    await this.#access.arrive();
    const refusal = this.#access.refusal(asked);
    const opened =
      refusal ?? this.#parts.streams.open(() => this.#access.wake().run, asked.last_event_id);
    return eventResponse(opened);
  }

  readTrace(request: RunReadRequest): Promise<Result<Trace>> {
    return this.#access.show(request, (live) => ok(this.#views.trace(live)));
  }

  readIterations(request: RunIterationsRequest): Promise<Result<TraceIterationPage>> {
    return this.#access.show(request, (live) => this.#views.iterations(live, request));
  }

  outputs(request: RunOutputsRequest): Promise<Result<RunDocument>> {
    return this.#access.show(request, (live, memory) => this.#views.outputs(live, request, memory));
  }

  exportEntries(request: RunExportRequest): Promise<Result<RunExportPage>> {
    return this.#access.show(request, (live, memory) =>
      this.#views.exportEntries(live, request, memory),
    );
  }

  exportContents(request: RunContentsRequest): Promise<Result<readonly (HeldContent | null)[]>> {
    return this.#access.show(request, (live, memory) =>
      this.#views.exportContents(live, request, memory),
    );
  }

  readCell(request: RunCellRequest): Promise<Result<RunCellText>> {
    return this.#access.kept((live) => this.#views.cell(live, request));
  }

  readFile(request: RunFileRequest): Promise<Result<RunFile>> {
    return this.#access.kept((live) => this.#views.file(live, request));
  }

  async cancel(request: RunReadRequest): Promise<Result<Execution>> {
    await this.#access.arrive();
    const refusal = this.#access.refusal(request, true);
    if (refusal !== undefined) {
      return refusal;
    }
    const { run, loop } = this.#access.wake();
    const { status } = run.state;
    if (isTerminal(status)) {
      return fail("already_terminal", `The run has already ended: it is ${status}.`);
    }
    loop.cancel();
    this.#parts.abandoned.fire();
    const cancelling = this.#access.execution(request.workspace_id, request.base_url);
    this.ctx.waitUntil(loop.advance());
    // Before the response, so that the next list agrees.
    await loop.tryAcknowledge();
    return ok(cancelling);
  }

  async promote(_request: { v: 1 }): Promise<void> {
    await this.#access.arrive();
    const loop = this.#store.exists ? this.#access.tryWake()?.loop : undefined;
    loop?.begin();
    await loop?.advance();
  }

  async audit(request: { v: 1; workspace_id: string }): Promise<void> {
    await this.#access.arrive();
    const live = this.#store.exists ? this.#access.tryWake() : null;
    if (live === null) {
      await this.#parts.damaged.giveUp(request.workspace_id);
      return;
    }
    this.ctx.waitUntil(live.loop.goOn());
  }

  async expireOutputs(request: RunExpiryRequest): Promise<Result<RunExpiry>> {
    await this.#access.arrive();
    if (this.#store.exists && this.#access.tryWake() === null) {
      return ok(await this.#parts.damaged.expire(request, this.#parts.expiry));
    }
    const refusal = this.#access.refusal(request);
    if (refusal !== undefined) {
      return refusal;
    }
    const { run, loop } = this.#access.wake();
    return (await loop.hasReportedEnd())
      ? ok(await this.#parts.expiry.advance(run.metadata, Date.now()))
      : fail(
          "invalid_state",
          "The run has not ended, or its end has not been reported to all parts of the service.",
        );
  }

  openSource(request: OpenSourceRequest): Promise<Result<OpenedSource>> {
    return this.#access.show(request, ({ run }) => this.#parts.source.open(run, request.holder));
  }

  readSource(request: SourceCellsRequest): Promise<Result<SourceCellsPage>> {
    return this.#access.show(request, () => this.#parts.source.read(request));
  }

  describeSource(request: DescribeSourceRequest): Promise<Result<SourceDescription>> {
    return this.#access.show(request, ({ run }) => this.#parts.source.describe(run, request));
  }

  async holdState(_request: { v: 1; workspace_id: string }): Promise<HoldState> {
    await this.#access.arrive();
    const live = this.#store.exists ? this.#access.tryWake() : null;
    return live === null ? "gone" : this.#parts.source.holdState(live.run);
  }

  async claim(request: ClaimRequest): Promise<Claim | null> {
    const live = this.#access.withTasks();
    if (live === null) {
      return null;
    }
    const { run, seed, loop } = live;
    // A hint may be from before this object lost its memory: waiting tasks are hinted again.
    this.ctx.waitUntil(loop.goOn());
    return this.#parts.runTasks.claim(run, request, seed, Date.now());
  }

  async report(request: { v: 1; reports: readonly TaskReport[] }): Promise<ReportResponse> {
    const live = this.#access.withTasks();
    if (live === null || isTerminal(live.run.state.status)) {
      return { cancel: true };
    }
    const { run, loop } = live;
    const { reports } = this.#parts.runTasks;
    const { canGoOn, accepted } = reports.take(run, request.reports, Date.now(), Math.random);
    if (canGoOn) {
      this.ctx.waitUntil(loop.advance());
    }
    await reports.untilStored(request.reports);
    const cancel = isAbandoned(run);
    return { cancel, accepted, ...neighboursOf(run.metadata.workspace_id) };
  }

  resume({ tasks }: { v: 1; tasks: readonly number[] }): Promise<readonly number[] | null> {
    const live = this.#access.withTasks();
    if (live === null || isAbandoned(live.run)) {
      return Promise.resolve(null);
    }
    const resumed = this.#parts.tasks.waits.resume(tasks);
    if (resumed.length > 0) {
      this.ctx.waitUntil(live.loop.advance());
    }
    return Promise.resolve(resumed);
  }

  gaveUp({ tasks }: { v: 1; tasks: readonly number[] }): Promise<void> {
    if (this.#access.withTasks() !== null) {
      this.#parts.runTasks.givenUp.confirm(tasks);
    }
    return Promise.resolve();
  }

  emit({ texts }: EmitRequest): Promise<EmitResponse> {
    const live = this.#access.withTasks();
    if (live === null) {
      return Promise.resolve({ resend: [], stop: texts.map((text) => text.task_id) });
    }
    const response = this.#parts.runTasks.emit(live.run, texts);
    this.#parts.streams.textsGrew();
    return Promise.resolve(response);
  }

  elements(request: ElementsRequest): Promise<ElementPage | null> {
    const live = this.#access.withTasks();
    return Promise.resolve(live === null ? null : this.#parts.runTasks.elements(live.run, request));
  }

  async heartbeat(
    request: HeartbeatRequest,
  ): Promise<{ cancel: boolean; lost: readonly number[] }> {
    const live = this.#access.withTasks();
    if (live === null) {
      return { cancel: true, lost: request.tasks.map((task) => task.task_id) };
    }
    const { run } = live;
    const lost = this.#parts.runTasks.heartbeat(request.tasks, isAbandoned(run), Date.now());
    if (request.wait_ms !== undefined && lost.length === 0 && !isAbandoned(run)) {
      // Delayed, so that a cancel reaches the executor at once and not with its next heartbeat.
      await this.#parts.abandoned.within(Math.min(request.wait_ms, HEARTBEAT_HELD_MAX_MS));
    }
    return { cancel: isAbandoned(run), lost };
  }

  override alarm(): Promise<void> {
    return this.#parts.alarms.fire(async () => {
      const { givenUp } = this.#parts.runTasks;
      const isClosed = this.#store.exists && this.#store.getMetadata("closed") !== undefined;
      if (!this.#store.exists || (isClosed && givenUp.isEmpty)) {
        return;
      }
      const { run, loop } = this.#access.wake();
      if (loop.stopIfOverdue()) {
        this.#parts.abandoned.fire();
      }
      if (!isClosed) {
        this.#parts.tasks.waits.wakeDue(Date.now());
        this.#parts.runTasks.expire(run, Date.now(), Math.random);
      }
      // Before the advance: one in progress may be interrupted before it arms.
      this.#parts.alarms.arm(Date.now(), loop.isAdvancing ? Date.now() + TURN_HELD_MS : 0);
      await loop.advance();
    });
  }
}

parseEntries(RunObject, isEnvUsable, RUN_ENTRIES);

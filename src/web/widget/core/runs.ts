/** One run at a time: permit, submit, following, cancel, and what the host is told of it. */
import { CommandRefused } from "../../shared/protocol.ts";
import { ApiFailure, type Clock, type EmbedApi } from "./api.ts";
import { followRun } from "./follow-run.ts";
import type { Form } from "./form.ts";
import type { Language } from "./locale.ts";
import { galleryGroups, outputEntries, type OutputEntry, type ResultView } from "./outputs.ts";
import type { Store } from "./state.ts";

/** A permit is good for ten minutes; this leaves a minute to use it. */
const PERMIT_MS = 9 * 60_000;
const SUBMIT_ATTEMPTS = 3;
const RESULT_ATTEMPTS = 4;
const RETRY_MS = 1_000;

export interface RunTools {
  readonly store: Store;
  readonly form: Form;
  readonly api: () => EmbedApi;
  readonly clock: Clock;
  readonly emit: (type: string, payload: unknown) => void;
  readonly language: () => Language;
  readonly newKey: () => string;
}

export interface RunValue {
  readonly executionId: string;
  readonly outputs: readonly OutputEntry[];
}

export class Runs {
  readonly #tools: RunTools;
  #abort: AbortController | null = null;
  /** The calls of the run in progress: those of the token it began with. */
  #api: EmbedApi | null = null;
  #permit: { readonly text: string; readonly untilMs: number } | null = null;

  constructor(tools: RunTools) {
    this.#tools = tools;
  }

  get isRunning(): boolean {
    return this.#abort !== null;
  }

  /** A new token: the run in progress goes on with it only if the new token can see the run. */
  renew(canSeeRun: boolean): void {
    this.#permit = null;
    if (canSeeRun && this.#api !== null) {
      this.#api = this.#tools.api();
    }
  }

  /**
   * Runs the workflow with the values of the form. Throws `CommandRefused`: before the start the caller tells the host, and
   * after it the events of the run have.
   */
  async execute(): Promise<RunValue> {
    const { store, form } = this.#tools;
    const { config } = store.state;
    if (this.isRunning) {
      throw this.#refusal("execution_in_progress");
    }
    if (config?.can.execute !== true) {
      throw this.#refusal("forbidden");
    }
    form.flush();
    this.#check();
    const abort = new AbortController();
    this.#abort = abort;
    this.#api = this.#tools.api();
    const startedMs = this.#tools.clock.nowMs();
    store.set({
      run: { id: null, status: "starting", progress: 0, made: 0, startedMs, isCancelling: false },
      notice: null,
    });
    try {
      const id = await this.#submit(abort.signal);
      this.#tools.emit("svc:execution:started", { executionId: id });
      return await this.#follow(id, startedMs, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) {
        throw this.#refusal("reset", true);
      }
      throw this.#failed(error);
    } finally {
      if (this.#abort === abort) {
        this.#abort = null;
        this.#api = null;
        store.set({ run: null });
      }
    }
  }

  /** Asks the service to cancel the run in progress; its end arrives as that of any run. */
  async cancel(): Promise<void> {
    const { store } = this.#tools;
    const { run } = store.state;
    if (run === null) {
      return;
    }
    store.set({ run: { ...run, isCancelling: true } });
    if (run.id !== null) {
      await this.#cancelNow(run.id);
    }
  }

  /** Stops following and telling; the run itself goes on. */
  forget(): void {
    this.#abort?.abort();
    this.#abort = null;
    this.#api = null;
    this.#tools.store.set({ run: null, finished: null, notice: null });
  }

  async #cancelNow(id: string): Promise<void> {
    const { store } = this.#tools;
    try {
      await (this.#api ?? this.#tools.api()).cancel(id);
    } catch (error) {
      const { run } = store.state;
      if (run !== null) {
        store.set({ run: { ...run, isCancelling: false } });
      }
      throw this.#refusalOf(error);
    }
  }

  #check(): void {
    const { store, form } = this.#tools;
    const problems = form.check();
    const [first] = problems;
    if (first === undefined) {
      return;
    }
    const codes = new Set(problems.map(({ problem }) => problem.code));
    const code = codes.has("uploading")
      ? "upload_pending"
      : codes.has("required")
        ? "missing_required_inputs"
        : "invalid_execution_inputs";
    store.set({
      focus: { key: first.key, request: (store.state.focus?.request ?? 0) + 1 },
      notice: null,
    });
    throw this.#refusal(code);
  }

  async #submit(signal: AbortSignal): Promise<string> {
    const { store, form, clock } = this.#tools;
    const inputs = form.inputs();
    const { interfaceId } = store.state.settings;
    const named = store.state.config?.interface?.id ?? interfaceId;
    let isFresh = this.#permit === null || this.#permit.untilMs < clock.nowMs();
    for (;;) {
      if (isFresh) {
        const text = await this.#calls().takePermit();
        this.#permit = text === null ? null : { text, untilMs: clock.nowMs() + PERMIT_MS };
      }
      signal.throwIfAborted();
      try {
        const id = await this.#send(
          {
            inputs,
            ...(named === null ? {} : { interface: named }),
            ...(this.#permit === null ? {} : { permit: this.#permit.text }),
          },
          signal,
        );
        this.#permit = null;
        return id;
      } catch (error) {
        // A permit kept from a refused submit may have lapsed.
        const isLapsed = error instanceof ApiFailure && error.code === "execution_cap_exceeded";
        if (!isLapsed || isFresh) {
          throw error;
        }
        isFresh = true;
      }
    }
  }

  /** Sends the submit again, with the same idempotency key, while no answer arrives. */
  async #send(body: Parameters<EmbedApi["submit"]>[0], signal: AbortSignal): Promise<string> {
    const { store, clock } = this.#tools;
    const key = this.#tools.newKey();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { id, status } = await this.#calls().submit(body, key);
        signal.throwIfAborted();
        const { run } = store.state;
        if (run !== null) {
          store.set({ run: { ...run, id, status } });
          if (run.isCancelling) {
            await this.#cancelNow(id);
          }
        }
        return id;
      } catch (error) {
        signal.throwIfAborted();
        const isPassing =
          error instanceof ApiFailure && (error.status === 0 || error.status >= 500);
        if (!isPassing || attempt >= SUBMIT_ATTEMPTS) {
          throw error;
        }
        await clock.wait(RETRY_MS * attempt, signal);
      }
    }
  }

  async #follow(id: string, startedMs: number, signal: AbortSignal): Promise<RunValue> {
    const { store, clock, emit } = this.#tools;
    const status = await followRun(
      () => this.#calls(),
      clock,
      id,
      signal,
      (news) => {
        const { run } = store.state;
        if (run !== null) {
          store.set({ run: { ...run, ...news } });
        }
        if (!isEnd(news.status)) {
          emit("svc:execution:progress", {
            executionId: id,
            progress: news.progress,
            status: news.status,
          });
        }
      },
    );
    if (status !== "completed" && status !== "partial_success") {
      const code =
        status === "cancelled"
          ? "cancelled"
          : ((await this.#again(() => this.#calls().execution(id, signal), signal)).error_code ??
            "execution_failed");
      throw new RunFailed(id, code);
    }
    const view = await this.#again<ResultView>(() => this.#calls().result(id, signal), signal);
    const outputs = store.state.config?.outputs ?? [];
    const value = { executionId: id, outputs: outputEntries(view, outputs) };
    store.set({
      finished: {
        groups: galleryGroups(view, outputs),
        isPartial: status === "partial_success",
        seconds: (clock.nowMs() - startedMs) / 1000,
      },
    });
    emit("svc:execution:completed", value);
    return value;
  }

  async #again<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        signal.throwIfAborted();
        if (attempt >= RESULT_ATTEMPTS || (error instanceof ApiFailure && error.status === 403)) {
          throw error;
        }
        await this.#tools.clock.wait(RETRY_MS * attempt, signal);
      }
    }
  }

  #calls(): EmbedApi {
    return this.#api ?? this.#tools.api();
  }

  /** Shows why the run did not start or did not finish, and returns the refusal of the command. */
  #failed(error: unknown): CommandRefused {
    const { store, emit } = this.#tools;
    const { run } = store.state;
    if (error instanceof RunFailed || (run !== null && run.id !== null)) {
      const id = error instanceof RunFailed ? error.executionId : (run?.id ?? "");
      const code = error instanceof RunFailed ? error.code : codeOf(error);
      const message = this.#tools.language().sentence(code);
      store.set({ notice: { code, requestId: requestIdOf(error) }, finished: null });
      emit("svc:execution:failed", { executionId: id, error: message, code });
      return new CommandRefused(code, message, { isTold: true });
    }
    const refusal = this.#refusalOf(error);
    if (error instanceof ApiFailure) {
      this.#mark(error.fields);
    }
    store.set({ notice: { code: refusal.code, requestId: requestIdOf(error) } });
    return refusal;
  }

  /** Marks the fields that the service refused. */
  #mark(paths: readonly string[]): void {
    const { store, form } = this.#tools;
    for (const field of form.configs) {
      if (
        paths.some(
          (path) => path === `inputs.${field.key}` || path.startsWith(`inputs.${field.key}.`),
        )
      ) {
        const isEmpty = store.field(field.key).value === null;
        store.setField(field.key, { problem: { code: isEmpty ? "required" : "refused" } });
      }
    }
  }

  #refusal(code: string, isTold = false): CommandRefused {
    return new CommandRefused(code, this.#tools.language().sentence(code), { isTold });
  }

  #refusalOf(error: unknown): CommandRefused {
    return error instanceof CommandRefused ? error : this.#refusal(codeOf(error));
  }
}

/** The run was accepted and did not end well. */
class RunFailed extends Error {
  readonly executionId: string;
  readonly code: string;

  constructor(executionId: string, code: string) {
    super(code);
    this.executionId = executionId;
    this.code = code;
  }
}

function isEnd(status: string): boolean {
  return ["completed", "partial_success", "failed", "cancelled"].includes(status);
}

function requestIdOf(error: unknown): string | null {
  return error instanceof ApiFailure ? error.requestId : null;
}

/** Codes of the service that the host is told as they are. */
const OWN = new Set([
  "execution_cap_exceeded",
  "network",
  "token_missing",
  "token_invalid",
  "token_expired",
  "token_revoked",
  "too_many_requests",
]);

/** Returns the code of `svc:error` for a failed call (docs/embeds.md). */
export function codeOf(error: unknown): string {
  if (!(error instanceof ApiFailure)) {
    return "execution_failed";
  }
  const { code, status } = error;
  if (OWN.has(code)) {
    return code;
  }
  if (status === 429) {
    return "too_many_requests";
  }
  if (code === "workflow_not_published" || status === 404) {
    return "workflow_not_available";
  }
  if (status === 400 || status === 422) {
    return "invalid_execution_inputs";
  }
  return status === 403 ? "forbidden" : "execution_failed";
}

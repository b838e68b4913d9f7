/** Follows a run to its end: by its event stream, which is resumed, and by polling where no stream gets through. */
import { ApiFailure, type Clock, type EmbedApi } from "./api.ts";
import { createEventReader } from "./event-stream.ts";

export interface RunNews {
  readonly status: string;
  /** Per cent; never falls. */
  readonly progress: number;
  /** Elements of outputs that have settled with a value. */
  readonly made: number;
}

/** Streams in a row that ended without an event before the widget polls. */
const SILENT_STREAMS_MAX = 3;
const PAUSE_MS = 500;
const POLL_MS = 1_500;
const POLL_MAX_MS = 10_000;
/** Failures in a row, of polls, before the widget gives up. */
const FAILED_POLLS_MAX = 20;
const ENDED = new Set(["completed", "partial_success", "failed", "cancelled"]);

/**
 * Calls `onNews` at each change until the run has ended, and returns its last status. Throws `ApiFailure` if the service
 * refuses (`401`, `403`, `404`) or cannot be reached for a long time, and the abort of the signal. `api` is asked before each
 * call: a new token may have come.
 */
export async function followRun(
  api: () => EmbedApi,
  clock: Clock,
  id: string,
  signal: AbortSignal,
  onNews: (news: RunNews) => void,
): Promise<string> {
  const state = { status: "pending", progress: 0, made: 0, lastEventId: "" };
  const tell = (): void => {
    onNews({ status: state.status, progress: state.progress, made: state.made });
  };
  for (let silent = 0; silent < SILENT_STREAMS_MAX;) {
    const before = state.lastEventId;
    try {
      const read = createEventReader();
      for await (const piece of await api().events(id, state.lastEventId, signal)) {
        for (const { id: eventId, event, data } of read(piece)) {
          state.lastEventId = eventId;
          if (take(state, event, data)) {
            tell();
          }
          if (event === "done") {
            return state.status;
          }
        }
      }
    } catch (error) {
      rethrowFinal(error, signal, STREAM_REFUSALS);
    }
    silent = state.lastEventId === before ? silent + 1 : 0;
    await clock.wait(PAUSE_MS * (silent + 1), signal);
    signal.throwIfAborted();
  }
  return await poll(api, clock, id, signal, state, tell);
}

interface Followed {
  status: string;
  progress: number;
  made: number;
}

/** Whether the event changed what is shown. */
function take(state: Followed, event: string, data: string): boolean {
  let body: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(data);
    body = typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return false;
  }
  if ((event === "status" || event === "done") && typeof body["status"] === "string") {
    state.status = body["status"];
    return true;
  }
  if (event === "progress" && typeof body["progress"] === "number") {
    const before = state.progress;
    state.progress = Math.max(before, Math.min(100, Math.round(body["progress"])));
    return state.progress !== before;
  }
  if (event === "output" && body["presence"] === "present") {
    state.made += 1;
    return true;
  }
  return false;
}

/** Statuses that end the telling. A stream that is not found is polled: the execution itself decides. */
const STREAM_REFUSALS: readonly number[] = [401, 402, 403];
const POLL_REFUSALS: readonly number[] = [...STREAM_REFUSALS, 404];

/** Throws the abort, and refusals; anything else is tried again. */
function rethrowFinal(error: unknown, signal: AbortSignal, refusals: readonly number[]): void {
  signal.throwIfAborted();
  if (error instanceof ApiFailure && refusals.includes(error.status)) {
    throw error;
  }
}

async function poll(
  api: () => EmbedApi,
  clock: Clock,
  id: string,
  signal: AbortSignal,
  state: Followed,
  tell: () => void,
): Promise<string> {
  let failed = 0;
  for (let pauseMs = POLL_MS; ; pauseMs = Math.min(POLL_MAX_MS, pauseMs * 1.3)) {
    try {
      const { status, progress } = await api().execution(id, signal);
      failed = 0;
      if (status !== state.status || progress > state.progress) {
        state.status = status;
        state.progress = Math.max(state.progress, progress);
        tell();
      }
      if (ENDED.has(status)) {
        return status;
      }
    } catch (error) {
      rethrowFinal(error, signal, POLL_REFUSALS);
      failed += 1;
      if (failed > FAILED_POLLS_MAX) {
        throw error;
      }
    }
    await clock.wait(pauseMs, signal);
    signal.throwIfAborted();
  }
}

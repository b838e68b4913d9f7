/** Runs from the editor: save, inputs, live states, results. */
import { isJsonObject, type JsonValue, parseJson } from "../../../lib/json/exact-json.ts";
import { applyEvent, EventReader, isEnded, type RunState, startRun } from "../core/run-state.ts";
import { problemOf } from "../core/save-workflow.ts";
import { save } from "./save.ts";
import type { EditorStore } from "./store.ts";

/** An input of the default interface, as the workflow's detail lists it. */
export interface RunInput {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly required: boolean;
  /** JSON-encoded. */
  readonly default_value?: string;
}

export type RunOutcome =
  | { readonly ok: true; readonly value: { readonly executionId: string; readonly status: string } }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** What a submit sends for an input. */
export type InputEntry = { readonly value: string } | { readonly asset_path: string };

/** Streams events; `core` knows nothing of fetch. */
export interface RunApi {
  /** Opens the event stream of a run after an event. Returns null if there are no more events. */
  events(
    path: string,
    lastEventId: string,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array> | null>;
  /** Uploads a file; returns its path in the storage. Throws with a message for people. */
  upload(file: File): Promise<string>;
}

interface Asking {
  readonly inputs: readonly RunInput[];
  readonly done: (outcome: RunOutcome) => void;
}

const asking = new WeakMap<EditorStore, Asking>();
const watching = new WeakMap<EditorStore, AbortController>();

/** The inputs that the open dialog asks for. */
export function askedInputs(store: EditorStore): readonly RunInput[] {
  return asking.get(store)?.inputs ?? [];
}

/** Saves if needed, asks for the inputs, and runs. Resolves when the run has ended or was not started. */
export async function run(store: EditorStore, api: RunApi): Promise<RunOutcome> {
  const { canRun, run: current } = store.state;
  if (!canRun) {
    return { ok: false, code: "forbidden", message: store.words("readOnly") };
  }
  if (current !== null && !isEnded(current.status)) {
    return { ok: false, code: "execution_in_progress", message: store.words("running") };
  }
  if (store.isDirty || !store.state.isPublished || store.state.workflow.id === null) {
    const saved = await save(store);
    if (!saved.ok) {
      return saved;
    }
  }
  const { id } = store.state.workflow;
  let inputs: readonly RunInput[];
  try {
    const detail = await store.api.send("GET", `/workflows/${id ?? ""}`);
    if (detail.status !== 200) {
      return refused(store, problemOf(detail));
    }
    inputs = inputsOf(detail.body);
  } catch (error) {
    return refused(store, { code: "network", message: messageOf(error) });
  }
  if (inputs.length === 0) {
    return submit(store, api, {});
  }
  asking.get(store)?.done({ ok: false, code: "cancelled", message: "" });
  return new Promise((done) => {
    asking.set(store, { inputs, done });
    store.set({ dialog: "run" });
  });
}

function inputsOf(detail: JsonValue): readonly RunInput[] {
  const face = isJsonObject(detail) ? detail["interface"] : undefined;
  const inputs = isJsonObject(face ?? null) ? (face as { inputs?: JsonValue }).inputs : undefined;
  // The service's own list (docs/contract/workflows.md#fields).
  return Array.isArray(inputs) ? (inputs as unknown as readonly RunInput[]) : [];
}

/** The dialog's answer: what to send, or null if the person closed it. */
export function answerInputs(
  store: EditorStore,
  api: RunApi,
  inputs: Readonly<Record<string, InputEntry>> | null,
): void {
  const asked = asking.get(store);
  asking.delete(store);
  store.set({ dialog: null });
  if (inputs === null) {
    asked?.done({ ok: false, code: "cancelled", message: store.words("cancelled") });
    return;
  }
  void submit(store, api, inputs).then((outcome) => asked?.done(outcome));
}

function refused(
  store: EditorStore,
  { code, message }: { readonly code: string; readonly message: string },
): RunOutcome {
  store.say(store.words("runFailed", { message }));
  return { ok: false, code, message };
}

async function submit(
  store: EditorStore,
  api: RunApi,
  inputs: Readonly<Record<string, InputEntry>>,
): Promise<RunOutcome> {
  const { id } = store.state.workflow;
  try {
    const answer = await store.api.send("POST", "/executions", {
      body: { workflow: id ?? "", inputs: inputs as JsonValue },
      headers: { "idempotency-key": crypto.randomUUID() },
    });
    const execution = isJsonObject(answer.body) ? answer.body["id"] : undefined;
    if (answer.status !== 202 || typeof execution !== "string") {
      return refused(store, problemOf(answer));
    }
    store.set({
      run: startRun(
        execution,
        store.graph.nodes.map((node) => node.id),
      ),
      results: null,
      status: store.words("running"),
    });
    await watch(store, api, execution);
    return await finish(store, execution);
  } catch (error) {
    return refused(store, { code: "network", message: messageOf(error) });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Between two polls, in milliseconds. */
const POLL_MS = 1_000;
/** Failures in a row after which the run is not watched any more. */
const FAILURES_MAX = 20;

/** Follows the events until the run has ended; reads the execution where the stream breaks. */
async function watch(store: EditorStore, api: RunApi, id: string): Promise<void> {
  const stop = new AbortController();
  watching.get(store)?.abort();
  watching.set(store, stop);
  let lastEventId = "";
  let failures = 0;
  for (;;) {
    try {
      const stream = await api.events(`/executions/${id}/events`, lastEventId, stop.signal);
      if (stream !== null) {
        const reader = new EventReader();
        const decoder = new TextDecoder();
        for await (const piece of piecesOf(stream)) {
          for (const { id: eventId, event, data } of reader.push(
            decoder.decode(piece, { stream: true }),
          )) {
            lastEventId = eventId === "" ? lastEventId : eventId;
            take(store, id, event, parseJson(data));
          }
          failures = 0;
        }
      }
    } catch {
      failures += 1;
    }
    if (store.state.run?.id !== id || isEnded(store.state.run.status)) {
      return;
    }
    const answer = await store.api.send("GET", `/executions/${id}`).catch(() => null);
    if (answer?.status === 200) {
      failures = 0;
      takeExecution(store, id, answer.body);
      if (isEnded(store.state.run.status)) {
        return;
      }
    } else {
      failures += 1;
    }
    if (failures > FAILURES_MAX) {
      throw new Error(store.words("notWatched"));
    }
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    yield value;
  }
}

function take(store: EditorStore, id: string, event: string, data: JsonValue): void {
  const { run: current } = store.state;
  if (current?.id === id) {
    store.set({ run: applyEvent(current, event, data) });
  }
}

function takeExecution(store: EditorStore, id: string, body: JsonValue): void {
  take(store, id, "progress", body);
  take(store, id, "status", body);
}

/** After the end: the results, and the gallery if there is at least one output. */
async function finish(store: EditorStore, id: string): Promise<RunOutcome> {
  const status = store.state.run?.status ?? "failed";
  let message = store.words("runEnded", { status: wordOf(store, status) });
  if (status === "completed" || status === "partial_success") {
    const answer = await store.api.send("GET", `/executions/${id}/result`);
    const hasOutput = answer.status === 200 && presentItems(answer.body).length > 0;
    store.set({
      results: answer.status === 200 ? answer.body : null,
      ...(hasOutput && store.state.dialog === null && { dialog: "results" as const }),
    });
  } else {
    const answer = await store.api.send("GET", `/executions/${id}`);
    const { error_message: reason } = isJsonObject(answer.body) ? answer.body : {};
    if (typeof reason === "string" && reason !== "") {
      message = store.words("runFailed", { message: reason });
    }
  }
  store.say(message);
  return { ok: true, value: { executionId: id, status } };
}

function wordOf(store: EditorStore, status: string): string {
  switch (status) {
    case "completed":
    case "partial_success":
    case "failed":
    case "cancelled":
      return store.words(status);
    default:
      return status;
  }
}

/** One shown result. */
export interface ShownItem {
  readonly key: string;
  readonly type: string;
  readonly isPresent: boolean;
  readonly url: string | null;
  readonly thumbnail: string | null;
  readonly value: JsonValue | undefined;
  readonly problem: string;
  readonly indices: readonly number[];
}

/** The items of a result in the order of the outputs; absent ones are left out. */
export function shownItems(result: JsonValue): readonly ShownItem[] {
  const view = isJsonObject(result) ? result["result"] : undefined;
  const items = isJsonObject(view ?? null) ? (view as { items?: JsonValue }).items : undefined;
  return Array.isArray(items)
    ? (items as readonly JsonValue[]).flatMap((item): ShownItem[] => {
        if (!isJsonObject(item) || item["delivery"] === "absent") {
          return [];
        }
        const {
          key,
          type,
          url,
          thumbnail_url: thumbnail,
          value,
          error,
          input_indices: indices,
        } = item;
        const reason = isJsonObject(error ?? null)
          ? (error as { message?: JsonValue }).message
          : "";
        return [
          {
            key: typeof key === "string" ? key : "",
            type: typeof type === "string" ? type : "any",
            isPresent: item["delivery"] !== "unavailable",
            url: typeof url === "string" && isSafeAddress(url) ? url : null,
            thumbnail: typeof thumbnail === "string" && isSafeAddress(thumbnail) ? thumbnail : null,
            value,
            problem: typeof reason === "string" ? reason : "",
            indices: Array.isArray(indices) ? (indices as readonly number[]) : [],
          },
        ];
      })
    : [];
}

function presentItems(result: JsonValue): readonly ShownItem[] {
  return shownItems(result).filter(({ isPresent }) => isPresent);
}

/** Addresses that links and pictures may have: never those that run a script. */
function isSafeAddress(address: string): boolean {
  return /^(?:https?:\/\/|\/(?!\/))/i.test(address);
}

/** Asks the service to cancel the run; it goes on to be watched until it has ended. */
export async function cancelRun(store: EditorStore): Promise<void> {
  const { run: current } = store.state;
  if (current === null || isEnded(current.status)) {
    return;
  }
  const cancelling: RunState = { ...current, status: "cancelling" };
  store.set({ run: cancelling });
  await store.api.send("POST", `/executions/${current.id}/cancel`).catch(() => undefined);
}

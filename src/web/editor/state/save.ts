/** Save: by the person, by the parent, or before a run. One save at a time; later ones wait for it. */
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { writeGraph } from "../core/graph.ts";
import { readIssues, type ReportedIssue } from "../core/issues.ts";
import { type SaveResult, saveWorkflow } from "../core/save-workflow.ts";
import { loadWorkflow } from "./load.ts";
import type { EditorStore } from "./store.ts";

export type SaveOutcome =
  | { readonly ok: true; readonly value: Readonly<Record<string, JsonValue>> }
  | { readonly ok: false; readonly code: string; readonly message: string };

const running = new WeakMap<EditorStore, Promise<unknown>>();
/** Refusals that no later save would escape. */
const FORBIDDEN: ReadonlySet<string> = new Set(["forbidden", "insufficient_scope"]);
/** For all attempts of a create flow. */
const creationKeys = new WeakMap<EditorStore, string>();

/** Saves and publishes, and tells the parent how it went. Never throws. */
export async function save(store: EditorStore, requestId?: string): Promise<SaveOutcome> {
  const before = running.get(store);
  const job = (async () => {
    await before;
    return saveNow(store, requestId);
  })();
  running.set(store, job);
  return job;
}

async function saveNow(store: EditorStore, requestId: string | undefined): Promise<SaveOutcome> {
  const { graph } = store;
  const { workflow, canEdit } = store.state;
  const ids = requestId === undefined ? {} : { requestId };
  if (!canEdit) {
    return failed(store, { code: "forbidden", message: store.words("readOnly"), issues: [] }, ids);
  }
  store.set({ isSaving: true });
  const key = creationKeys.get(store) ?? crypto.randomUUID();
  creationKeys.set(store, key);
  let result: SaveResult;
  try {
    result = await saveWorkflow(store.api, {
      workflowId: workflow.id,
      name: workflow.name,
      etag: workflow.etag,
      definition: writeGraph(graph),
      creationKey: key,
    });
  } catch (error) {
    store.set({ isSaving: false });
    const message = error instanceof Error ? error.message : String(error);
    return failed(store, { code: "network", message, issues: [] }, ids);
  }
  const { saved } = result;
  if (saved !== null) {
    store.set({
      workflow: {
        id: saved.workflowId,
        name: saved.name,
        version: saved.version === 0 ? workflow.version : saved.version,
        etag: saved.etag,
      },
    });
  }
  if (result.ok) {
    const { workflowId, name, version, etag, created } = result.saved;
    store.set({
      isSaving: false,
      stored: graph,
      isPublished: true,
      hasConflict: false,
      status: store.words("saved", { version }),
    });
    const value = { workflowId, name, version, etag: etag ?? "", created, ...ids };
    store.host.post("svc:editor:saved", value);
    return { ok: true, value };
  }
  const isInvalid = result.code === "validation_error";
  store.set({
    isSaving: false,
    hasConflict: result.code === "precondition_failed",
    // The rights of the key behind the token may have been taken away since it was minted.
    ...(FORBIDDEN.has(result.code) && { canEdit: false }),
    ...(result.isStored && { stored: graph, isPublished: false }),
    ...(isInvalid && {
      issues: readIssues(graph, { errors: result.issues }),
      check: "done" as const,
    }),
  });
  return failed(store, result, ids);
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly ReportedIssue[];
}

function failed(
  store: EditorStore,
  { code, message, issues }: Failure,
  ids: Readonly<Record<string, string>>,
): SaveOutcome {
  store.say(
    code === "validation_error"
      ? store.words("saveKept", { count: issues.length })
      : store.words("saveFailed", { message }),
  );
  store.host.post("svc:editor:saveFailed", {
    code,
    message,
    ...(issues.length > 0 && { issues: issues.map((issue) => ({ ...issue })) }),
    ...ids,
  });
  return { ok: false, code, message };
}

/** After a conflict: gives the local work up for what the service has. */
export async function loadTheirs(store: EditorStore): Promise<void> {
  try {
    await loadWorkflow(store);
  } catch (error) {
    store.say(error instanceof Error ? error.message : String(error));
  }
}

/** After a conflict: saves over the revision that the service has now. */
export async function overwriteTheirs(store: EditorStore): Promise<void> {
  const { id } = store.state.workflow;
  if (id === null) {
    return;
  }
  try {
    const answer = await store.api.send("GET", `/workflows/${id}/definition`);
    if (answer.status === 200 && isJsonObject(answer.body)) {
      store.set({ workflow: { ...store.state.workflow, etag: answer.etag }, hasConflict: false });
    }
  } catch {
    // The save below reports that the service cannot be reached.
  }
  await save(store);
}

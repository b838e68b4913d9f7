/** Saving and publishing, against changes of others: each step names the revision that it builds on. */
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import type { JsonObject } from "./graph.ts";
import type { ReportedIssue } from "./issues.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly etag: string | null;
  /** The parsed body; null if there is none. */
  readonly body: JsonValue;
}

export interface ApiRequest {
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls of `/api/v1`. Throws only if the service could not be reached. */
export interface Api {
  send(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer>;
}

export interface SaveRequest {
  /** Null in a create flow: the workflow is created with `name`. */
  readonly workflowId: string | null;
  readonly name: string;
  /** ETag of the revision that was read; null in a create flow. */
  readonly etag: string | null;
  readonly definition: JsonObject;
  /** One key for all attempts of a create flow, so that a repeat after a lost response creates nothing twice. */
  readonly creationKey: string;
}

/** What is known about the workflow after the save, also after one that failed in the middle. */
export interface Saved {
  readonly workflowId: string;
  readonly name: string;
  readonly etag: string | null;
  readonly version: number;
  readonly created: boolean;
}

export type SaveResult =
  | { readonly ok: true; readonly saved: Saved }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly issues: readonly ReportedIssue[];
      /** The state that the next save builds on: the workflow may be created, or the definition stored. */
      readonly saved: Saved | null;
      /** Whether the working definition of the service is the one of this save. */
      readonly isStored: boolean;
    };

/** Creates the workflow if there is none, replaces its definition, and publishes exactly this revision. */
export async function saveWorkflow(api: Api, request: SaveRequest): Promise<SaveResult> {
  let saved: Saved | null =
    request.workflowId === null
      ? null
      : {
          workflowId: request.workflowId,
          name: request.name,
          etag: request.etag,
          version: 0,
          created: false,
        };
  if (saved === null) {
    const created = await createWorkflow(api, request);
    if (!("workflowId" in created)) {
      return created;
    }
    saved = created;
  }
  if (saved.etag === null) {
    // The response of the creation has no ETag.
    const read = await api.send("GET", `/workflows/${saved.workflowId}/definition`);
    if (read.status !== 200) {
      return failure(read, saved, false);
    }
    saved = { ...saved, etag: read.etag };
  }
  const stored = await api.send("PUT", `/workflows/${saved.workflowId}/definition`, {
    body: request.definition,
    headers: { "if-match": saved.etag ?? "" },
  });
  if (stored.status !== 200) {
    return failure(stored, saved, false);
  }
  saved = { ...saved, etag: stored.etag };
  const published = await api.send("POST", `/workflows/${saved.workflowId}/publish`, {
    headers: { "if-match": stored.etag ?? "" },
  });
  if (published.status !== 200) {
    return failure(published, saved, true);
  }
  return { ok: true, saved: { ...saved, ...nameAndVersion(published.body, saved) } };
}

async function createWorkflow(
  api: Api,
  { name, creationKey }: SaveRequest,
): Promise<SaveResult | Saved> {
  const created = await api.send("POST", "/workflows", {
    body: { name },
    headers: { "idempotency-key": creationKey },
  });
  const id = isJsonObject(created.body) ? created.body["id"] : undefined;
  return created.status === 201 && typeof id === "string"
    ? { workflowId: id, name, etag: null, version: 0, created: true }
    : failure(created, null, false);
}

function nameAndVersion(body: JsonValue, before: Saved): { name: string; version: number } {
  const { name, version } = isJsonObject(body) ? body : {};
  return {
    name: typeof name === "string" ? name : before.name,
    version: typeof version === "number" ? version : before.version,
  };
}

function failure(answer: ApiAnswer, saved: Saved | null, isStored: boolean): SaveResult {
  const problem = problemOf(answer);
  return { ok: false, ...problem, saved, isStored };
}

/** Longest list of issues that is read. */
const ISSUES_MAX = 2_000;

/** Code, message and issues of a refusal; a response without a problem document has the status alone. */
export function problemOf({ status, body }: ApiAnswer): {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly ReportedIssue[];
} {
  const problem = isJsonObject(body) ? body : {};
  const { code, detail, title, errors } = problem;
  return {
    code: typeof code === "string" ? code : `http_${String(status)}`,
    message: [detail, title].find((text) => typeof text === "string") ?? `Status ${String(status)}`,
    issues: Array.isArray(errors)
      ? (errors as readonly JsonValue[]).slice(0, ISSUES_MAX).flatMap(reportedIssue)
      : [],
  };
}

function reportedIssue(entry: JsonValue): ReportedIssue[] {
  if (!isJsonObject(entry)) {
    return [];
  }
  const text = (key: string): string | undefined => {
    const value = entry[key];
    return typeof value === "string" ? value : undefined;
  };
  const [path, field, code, node, suggestion] = [
    "path",
    "field",
    "code",
    "node_id",
    "suggestion",
  ].map(text);
  return [
    {
      message: text("message") ?? "",
      ...(path !== undefined && { path }),
      ...(field !== undefined && { field }),
      ...(code !== undefined && { code }),
      ...(node !== undefined && { node_id: node }),
      ...(suggestion !== undefined && { suggestion }),
    },
  ];
}

/** The issues of a validation's report. */
export function reportOf(body: JsonValue): {
  readonly errors: readonly ReportedIssue[];
  readonly warnings: readonly ReportedIssue[];
} {
  const list = (key: string): readonly ReportedIssue[] => {
    const value = isJsonObject(body) ? body[key] : undefined;
    return Array.isArray(value)
      ? (value as readonly JsonValue[]).slice(0, ISSUES_MAX).flatMap(reportedIssue)
      : [];
  };
  return { errors: list("errors"), warnings: list("warnings") };
}

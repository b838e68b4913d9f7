/** Decides what an embed page shows: its workflow, or why not (docs/embeds.md#errors). The token is judged first, then the workflow. */
import type { EmbedConfig } from "../../contracts/embeds/embed-config.ts";
import type { SignedEmbedToken } from "../../contracts/embeds/embed-claims.ts";
import type { PageError } from "../../contracts/embeds/page-error.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { tryParseId } from "../../platform/ids.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { readToken, type SignedToken } from "../auth/read-token.ts";
import { limitEmbedRequests } from "../rate-limit/limit-requests.ts";
import { judgeEmbedToken } from "./judge-embed-token.ts";
import { readConfig } from "./read-config.ts";

export interface PageOpening {
  /** The origins of the token; none if its signature does not hold. */
  readonly origins: readonly string[];
  /** Name of the workflow that the page shows; undefined for a new one, and with a refusal. */
  readonly workflowName?: string;
  /** What the page of a workflow shows, so that it need not ask. */
  readonly config?: EmbedConfig;
  readonly refusal?: PageError;
  /** Of `too_many_requests`, in seconds. */
  readonly retryAfter?: string;
}

export interface RuntimePageRequest {
  readonly token: string;
  /** As in the path. */
  readonly workflow: string;
  /** Of the path and of the query. */
  readonly interfaces: readonly string[];
}

export interface EditorPageRequest {
  readonly token: string;
  readonly workflow: string | undefined;
  readonly name: string | undefined;
}

export async function openRuntimePage(
  ctx: AppContext,
  request: RuntimePageRequest,
): Promise<PageOpening> {
  return open(ctx, request.token, async (signed, principal) => {
    if (signed.kind !== "runtime") {
      return { refusal: "wrong_token_type" };
    }
    if (!principal.permissions.has("ws:workflows:read")) {
      return { refusal: "forbidden" };
    }
    const { claims } = signed;
    const workflow = tryParseId("workflow", request.workflow);
    if (workflow === undefined) {
      return { refusal: "workflow_not_available" };
    }
    if (workflow !== claims.wf) {
      return { refusal: "workflow_mismatch" };
    }
    const [named = null, other = named] = request.interfaces;
    if (named !== other && !isSameInterface(named, other)) {
      return { refusal: "interface_mismatch" };
    }
    try {
      const config = await readConfig({ ...ctx, principal, embed: claims }, named);
      return { workflowName: config.workflow.name, config };
    } catch (error) {
      return { refusal: refusalOf(error) };
    }
  });
}

export async function openEditorPage(
  ctx: AppContext,
  request: EditorPageRequest,
): Promise<PageOpening> {
  return open(ctx, request.token, async (signed, principal) => {
    if (signed.kind !== "editor") {
      return { refusal: "wrong_token_type" };
    }
    if (!principal.permissions.has("ws:workflows:read")) {
      return { refusal: "forbidden" };
    }
    if (request.workflow === undefined) {
      return request.name === undefined ? { refusal: "missing_name" } : {};
    }
    const id = tryParseId("workflow", request.workflow);
    const row =
      id === undefined
        ? undefined
        : await new WorkflowStore(ctx.env, principal.workspaceId).find(id);
    return row === undefined || row === "elsewhere"
      ? { refusal: "workflow_not_available" }
      : { workflowName: row.name };
  });
}

/** Judges the token, and lets `decide` judge the rest. */
async function open(
  ctx: AppContext,
  token: string,
  decide: (signed: SignedEmbedToken, principal: Principal) => Promise<Omit<PageOpening, "origins">>,
): Promise<PageOpening> {
  if (token === "") {
    return { origins: [], refusal: "token_missing" };
  }
  const signed = await readEmbedToken(ctx, token);
  if (signed === undefined) {
    return { origins: [], refusal: "token_invalid" };
  }
  const origins = signed.claims.allowed_origins;
  try {
    const verdict = await judgeEmbedToken(ctx, signed);
    if (verdict.refusal !== undefined) {
      return { origins, refusal: verdict.refusal };
    }
    const { refusal } = await limitEmbedRequests(ctx, verdict.principal);
    if (refusal !== undefined) {
      const retryAfter = refusal.headers["retry-after"];
      return {
        origins,
        refusal: "too_many_requests",
        ...(retryAfter !== undefined && { retryAfter }),
      };
    }
    return { origins, ...(await decide(signed, verdict.principal)) };
  } catch (cause) {
    throw new PageFailure(origins, cause);
  }
}

/** A failure of the service; the origins decide which pages may show that. */
export class PageFailure extends Error {
  override readonly name = "PageFailure";
  readonly origins: readonly string[];

  constructor(origins: readonly string[], cause: unknown) {
    super("An embed page could not be opened.", { cause });
    this.origins = origins;
  }
}

async function readEmbedToken(
  ctx: AppContext,
  token: string,
): Promise<SignedEmbedToken | undefined> {
  const signed: SignedToken | undefined =
    token.length > LIMITS.embed_token.value ? undefined : await readToken(ctx, token);
  return signed?.kind === "access" ? undefined : signed;
}

function isSameInterface(one: string | null, other: string | null): boolean {
  const id = tryParseId("interface", one ?? "");
  return id !== undefined && id === tryParseId("interface", other ?? "");
}

/** Of the errors of `readConfig`. Throws the others. */
function refusalOf(error: unknown): PageError {
  switch (error instanceof AppError ? error.code : undefined) {
    case "not_found":
    case "workflow_not_published":
      return "workflow_not_available";
    case "forbidden":
      return "interface_mismatch";
    case "validation_error":
      return "interface_not_found";
    default:
      throw error;
  }
}

import type { EmbedExecution } from "../../contracts/embeds/embed-execution.ts";
import type { EmbedSubmit } from "../../contracts/embeds/embed-requests.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { EmbedContext } from "../../platform/context.ts";
import { embedTokenObject } from "../../storage/objects/embed-token-object.ts";
import {
  recallSubmit,
  submitExecution,
  type Submitted,
} from "../executions/submit/submit-execution.ts";
import { embedWorkflow, workflowGone } from "./embed-workflow.ts";
import { capExceeded, tooManyPermits } from "./token-executions.ts";
import { embedExecution } from "./without-credits.ts";

interface EmbedSubmitRequest {
  readonly body: EmbedSubmit;
  /** The same body with its original keys and digits. */
  readonly exactBody: JsonValue;
  readonly idempotencyKey: string | undefined;
}

export interface EmbedSubmitted {
  readonly execution: EmbedExecution;
  readonly isReplay: boolean;
}

/**
 * Submits the workflow of a runtime token against its cap (docs/contract/embeds.md#caps). A repeat by idempotency key
 * takes nothing. Otherwise the permit, or a unit, is held while the run is admitted; it can be used again, or is given
 * back, only if it is certain that no run was committed. Throws the codes of a submit, and `execution_cap_exceeded`.
 */
export async function submitEmbedExecution(
  ctx: EmbedContext,
  request: EmbedSubmitRequest,
): Promise<EmbedSubmitted> {
  const { embed } = ctx;
  const { body, exactBody, idempotencyKey } = request;
  const recalled = await recallSubmit(ctx, request).catch((error: unknown) => {
    throw told(error);
  });
  if (recalled !== null) {
    return shown(recalled);
  }
  const object = embedTokenObject(ctx, embed.ws_id, embed.jti);
  const held = await object.hold({
    v: 1,
    max: embed.max_executions,
    permit: body.permit ?? null,
    token_ends_at_ms: embed.exp * 1000,
  });
  if (held.kind === "crowded") {
    throw tooManyPermits(held);
  }
  if (held.kind !== "held") {
    throw capExceeded(embed, held);
  }
  const settle = (is_used: boolean) => object.settle({ v: 1, hold: held.hold, is_used });
  try {
    const { entry } = await embedWorkflow(ctx, body.interface ?? null);
    const submitted = await submitExecution(ctx, {
      body: {
        workflow: embed.wf,
        ...(body.inputs !== undefined && { inputs: body.inputs }),
        interface: entry?.id ?? null,
      },
      exactBody,
      idempotencyKey,
      isAgent: false,
    });
    // Another request with the same key may have been first.
    const settled = settle(!submitted.isReplay);
    if (submitted.isReplay) {
      await settled;
    } else {
      // Until then the permit stays held, which no submit can use either.
      ctx.waitUntil(settled);
    }
    return shown(submitted);
  } catch (error) {
    if (hasNoRun(error)) {
      await settle(false);
    }
    throw told(error);
  }
}

/** A refusal, and not one that committed a failed run. Of any other error it is not known what was committed. */
function hasNoRun(error: unknown): boolean {
  return (
    error instanceof AppError && error.status < 500 && error.members["execution_id"] === undefined
  );
}

function shown({ execution, isReplay }: Submitted): EmbedSubmitted {
  return { execution: embedExecution(execution), isReplay };
}

/** Errors as visitors of a page may see them: without credits, and with the codes of `/api/embed`. */
function told(error: unknown): unknown {
  if (!(error instanceof AppError)) {
    return error;
  }
  const { code, members, headers } = error;
  if (code === "insufficient_credits") {
    const message = "The workflow cannot run at the moment. Its owner can help.";
    return new AppError(code, message, { members, headers });
  }
  return code === "workflow_not_found" ? workflowGone() : error;
}

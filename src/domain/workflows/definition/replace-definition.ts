import { storedPins } from "../../../contracts/templates/template-pins.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowStore } from "../../../storage/d1/workflow-store.ts";
import { pinTemplates } from "../../templates/pin-templates.ts";
import { requireMatch } from "./definition-etag.ts";
import { prepareDefinition } from "./prepare-definition.ts";
import { readDefinitionText } from "./read-definition-text.ts";

const ATTEMPTS_MAX = 10;

/**
 * Replaces the working definition; status and versions stay unchanged
 * (docs/contract/workflows.md#life). Of two concurrent writes with the same ETag exactly one
 * succeeds. Throws `precondition_required`, `precondition_failed`, `invalid_state` (archived),
 * `validation_error` (no lists), `payload_too_large`.
 */
export async function replaceDefinition(
  ctx: CallerContext,
  id: string,
  ifMatch: string | undefined,
  definition: JsonValue,
): Promise<{ text: string; revision: number }> {
  const store = new WorkflowStore(ctx.env, ctx.principal.workspaceId);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { row, ...previous } = await readDefinitionText(ctx, id);
    if (ifMatch === undefined || ifMatch.trim() === "") {
      throw new AppError(
        "precondition_required",
        "Send If-Match with the ETag of GET /api/v1/workflows/{id}/definition, so that no change by others is lost; * overwrites the current definition.",
      );
    }
    if (row.status === "archived") {
      throw new AppError(
        "invalid_state",
        `The workflow ${id} is archived and cannot be edited. POST /api/v1/workflows/${id}/clone makes a draft of it.`,
      );
    }
    requireMatch(ifMatch, row.revision);
    const pinned = await pinTemplates(ctx, definition, previous);
    const { text, contentHash } = await prepareDefinition(
      pinned.definition,
      previous.text,
      ctx.nowMs(),
    );
    const change = {
      revision: row.revision,
      text,
      contentHash,
      templatePins: storedPins(pinned.pins),
      nowMs: ctx.nowMs(),
    };
    if (await store.replaceWorking(id, change)) {
      return { text, revision: row.revision + 1 };
    }
    // Another write came first. Reading again decides the response; with `*`, it is the next try.
  }
  throw new AppError("service_unavailable", `The workflow ${id} is being changed. Try again.`);
}

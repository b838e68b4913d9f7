import type { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { storedPins } from "../../contracts/templates/template-pins.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { newId } from "../../platform/ids.ts";
import { describeWorkflow } from "./describe-workflow.ts";
import { insertWorkflow } from "./insert-workflow.ts";
import { prepareDefinition } from "./definition/prepare-definition.ts";
import { pinTemplates } from "../templates/pin-templates.ts";
import { requireFolder } from "../folders/require-folder.ts";
import { requireWorkflow } from "./require-workflow.ts";

export interface CreateWorkflow {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly folderId: string | null;
  /** Undefined creates an empty one. */
  readonly definition: JsonValue | undefined;
}

const EMPTY_DEFINITION = { nodes: [], connections: [], interfaces: [], settings: {} };

/**
 * Creates a draft. Its definition may be invalid. Throws `validation_error`, `not_found` (folder),
 * `plan_limit_exceeded`.
 */
export async function createWorkflow(
  ctx: CallerContext,
  given: CreateWorkflow,
  once?: OnceStatements,
): Promise<WorkflowDetail> {
  const nowMs = ctx.nowMs();
  await requireFolder(ctx, given.folderId);
  const { definition, pins } = await pinTemplates(ctx, given.definition ?? EMPTY_DEFINITION);
  const prepared = await prepareDefinition(definition, undefined, nowMs);
  const id = newId("workflow", nowMs);
  const workflow = {
    id,
    name: given.name,
    description: given.description,
    tags: given.tags,
    folderId: given.folderId,
    definitionText: prepared.text,
    contentHash: prepared.contentHash,
    templatePins: storedPins(pins),
    nowMs,
  };
  await insertWorkflow(ctx, workflow, once);
  return await describeWorkflow(ctx, await requireWorkflow(ctx, id));
}

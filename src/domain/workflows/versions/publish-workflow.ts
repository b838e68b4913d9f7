import type { WorkflowDetail } from "../../../contracts/workflows/workflow.ts";
import type { Definition } from "../../../contracts/workflows/definition.ts";
import type { References } from "../../../engine/compile/references.ts";
import type { DefinitionIssue } from "../../../engine/plan/plan.ts";
import { parseDefinition } from "../../../contracts/workflows/parse-definition.ts";
import { storedPins } from "../../../contracts/templates/template-pins.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { parseJson } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowStore } from "../../../storage/d1/workflow-store.ts";
import { WorkflowVersions } from "../../../storage/d1/workflow-versions.ts";
import { getBillingPlan } from "../../billing-plans/workspace-billing-plans.ts";
import { checkWithReferences } from "../definition/check-definition.ts";
import { checkSchemas } from "../definition/check-schemas.ts";
import { requireMatch } from "../definition/definition-etag.ts";
import { definitionProblem } from "../definition/definition-problem.ts";
import { describeWorkflow } from "../describe-workflow.ts";
import { readDefinitionText } from "../definition/read-definition-text.ts";
import { requireWorkflow } from "../require-workflow.ts";
import { syncWorkflowPointer } from "../sync-workflow-pointer.ts";
import type { ReferenceContext } from "../../references/reference-context.ts";
import { resolverOf } from "../../references/resolve-references.ts";
import { publishedPins } from "../../templates/pin-templates.ts";
import { withWorkingPins } from "../../templates/workflow-pins.ts";

const ATTEMPTS_MAX = 20;

const NO_OUTPUT: DefinitionIssue = {
  code: "NO_OUTPUT",
  path: "nodes",
  message: "The workflow has no output node, so a run would return nothing.",
};

/**
 * Freezes the working definition as version n+1 and publishes it. If its content equals version n,
 * version n is published again, after a revert too. With `ifMatch`, only that revision is
 * published. Throws `invalid_state` (archived), `validation_error` (422, every problem),
 * `precondition_failed`, `plan_limit_exceeded`.
 */
export async function publishWorkflow(
  ctx: CallerContext,
  id: string,
  ifMatch: string | undefined,
): Promise<WorkflowDetail> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    if (await tryPublish(ctx, id, ifMatch)) {
      await syncWorkflowPointer(ctx, ctx.principal.workspaceId, id);
      return await describeWorkflow(ctx, await requireWorkflow(ctx, id));
    }
  }
  throw new AppError("service_unavailable", `The workflow ${id} is being changed. Try again.`);
}

/** False if the workflow changed between reading and writing. */
async function tryPublish(
  ctx: CallerContext,
  id: string,
  ifMatch: string | undefined,
): Promise<boolean> {
  const store = new WorkflowStore(ctx.env, ctx.principal.workspaceId);
  const { row, text, templatePins } = await readDefinitionText(ctx, id);
  if (row.status === "archived") {
    throw new AppError(
      "invalid_state",
      `The workflow ${id} is archived and cannot be published. POST /api/v1/workflows/${id}/clone makes a draft of it.`,
    );
  }
  if (ifMatch !== undefined) {
    requireMatch(ifMatch, row.revision);
  }
  const { definition, references } = await requirePublishable(
    withWorkingPins(ctx, id, templatePins),
    text,
  );
  await requireInterfaceGate(ctx, text);
  const versions = new WorkflowVersions(ctx.env, ctx.principal.workspaceId);
  const isUnchanged =
    row.version > 0 && (await versions.contentHash(id, row.version)) === row.content_hash;
  if (!isUnchanged) {
    const pins = await publishedPins(ctx, definition, references);
    return await store.insertVersion(id, row, {
      templatePins: storedPins(pins),
      nowMs: ctx.nowMs(),
    });
  }
  return row.status === "published" || (await store.setStatus(id, row, "published", ctx.nowMs()));
}

async function requirePublishable(
  ctx: ReferenceContext,
  text: string,
): Promise<{ readonly definition: Definition; readonly references: References }> {
  const checked = await checkWithReferences(parseJson(text), resolverOf(ctx));
  const errors = [...checked.errors, ...(await checkSchemas(checked))];
  const hasOutput = !checked.warnings.some(({ code }) => code === NO_OUTPUT.code);
  const issues = hasOutput ? errors : [...errors, NO_OUTPUT];
  const [first] = issues;
  if (first !== undefined) {
    const more = issues.length === 1 ? "" : ` (and ${issues.length - 1} more, see errors)`;
    throw new AppError("validation_error", `${first.path}: ${first.message}${more}`, {
      status: 422,
      errors: issues.map((issue) => definitionProblem(issue)),
    });
  }
  const { definition, references } = checked;
  if (definition === undefined) {
    throw new Error("A definition without issues is readable.");
  }
  return { definition, references };
}

/** The plan's limit for custom interfaces (docs/contract/access.md#plans). */
async function requireInterfaceGate(ctx: CallerContext, text: string): Promise<void> {
  const { code, limits } = await getBillingPlan(ctx, ctx.principal);
  const max = limits.max_custom_interfaces;
  const count = parseDefinition(text).interfaces.length;
  if (max !== null && count > max) {
    throw new AppError(
      "plan_limit_exceeded",
      `The plan ${code} allows ${max} custom interfaces in a workflow, but this one has ${count}. Remove some, or change the plan.`,
    );
  }
}

import type { WorkflowPointer } from "../../../contracts/workspaces/admission.ts";
import type { SourceDescription } from "../../../contracts/runs/run-source.ts";
import { References, referencesIn } from "../../../engine/compile/references.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { parseJson } from "../../../lib/json/exact-json.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { resolverOf } from "../../references/resolve-references.ts";
import { withWorkingPins } from "../../templates/workflow-pins.ts";
import { checkWithReferences } from "../../workflows/definition/check-definition.ts";
import { checkSchemas } from "../../workflows/definition/check-schemas.ts";
import { definitionProblem } from "../../workflows/definition/definition-problem.ts";
import { readDefinitionText } from "../../workflows/definition/read-definition-text.ts";
import type { LoadedVersion } from "../../workflows/versions/load-version.ts";
import { chooseVersion, loadForSubmit } from "../submit/prepare-submit.ts";

/** The definition that a retry runs. */
export interface RetryDefinition {
  readonly version: number;
  readonly loaded: LoadedVersion;
  readonly isDraft: boolean;
  readonly isPinned: boolean;
  /** It is that of the source. */
  readonly isSame: boolean;
}

/**
 * Finds the definition of a retry: `asked` is a version, `latest`, `draft`, or undefined for that of the source. Throws
 * as a pinned submit, and `validation_error` (422) for a working definition that is not valid.
 */
export async function retryDefinition(
  ctx: CallerContext,
  pointer: WorkflowPointer,
  source: SourceDescription,
  asked: number | "latest" | "draft" | undefined,
): Promise<RetryDefinition> {
  if (asked === "draft" || (asked === undefined && source.is_draft)) {
    return await draftOf(ctx, pointer, asked === "draft" ? undefined : source.definition_json);
  }
  const pinned = asked === "latest" ? undefined : (asked ?? source.workflow_version);
  const version = chooseVersion(pointer, pinned);
  return {
    version,
    loaded: await loadForSubmit(ctx, pointer.workflow_id, version),
    isDraft: false,
    isPinned: pinned !== undefined,
    isSame: !source.is_draft && version === source.workflow_version,
  };
}

/** `kept`: the copy of a working definition that the source has; undefined for the current one. */
async function draftOf(
  ctx: CallerContext,
  pointer: WorkflowPointer,
  kept: string | undefined,
): Promise<RetryDefinition> {
  const { workflow_id: id } = pointer;
  if (pointer.status === "archived") {
    throw new AppError(
      "workflow_not_published",
      `The workflow ${id} is archived. Clone it, and submit the clone.`,
    );
  }
  const working = await readDefinitionText(ctx, id);
  const text = kept ?? working.text;
  const resolve = resolverOf(withWorkingPins(ctx, id, working.templatePins));
  const checked = await checkWithReferences(parseJson(text), resolve);
  const issues = [...checked.errors, ...(await checkSchemas(checked))];
  const { definition, plan, references } = checked;
  const [first] = issues;
  if (first !== undefined || definition === undefined || plan === undefined) {
    throw new AppError(
      "validation_error",
      `The working definition of ${id} is not valid: ${first?.message ?? "it cannot be read."}`,
      { status: 422, errors: issues.map((issue) => definitionProblem(issue)) },
    );
  }
  return {
    // The latest one that was published: a working definition has no number.
    version: pointer.version,
    loaded: {
      definition,
      definition_json: text,
      plan,
      needed: referencesIn(definition, findNodeType),
      references: new References(references.list),
      templatePins: undefined,
    },
    isDraft: true,
    isPinned: true,
    isSame: kept !== undefined,
  };
}

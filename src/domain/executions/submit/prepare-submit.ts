import type { WorkflowPointer } from "../../../contracts/workspaces/admission.ts";
import type { SubmitExecution } from "../../../contracts/runs/execution-requests.ts";
import type { BillingPlan } from "../../../contracts/workspaces/billing-plan.ts";
import type { AdmissionLimits } from "../../../contracts/runs/run.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { getBillingPlan } from "../../billing-plans/workspace-billing-plans.ts";
import { chooseInterface } from "../../workflows/choose-interface.ts";
import { definitionProblem } from "../../workflows/definition/definition-problem.ts";
import {
  type LoadedVersion,
  loadVersion,
  ModelIssues,
} from "../../workflows/versions/load-version.ts";
import { References } from "../../../engine/compile/references.ts";
import { resolverOf } from "../../references/resolve-references.ts";
import { runReferences } from "../../references/run-references.ts";
import { bindAssets } from "./bind-assets.ts";
import { bindInputs, type BoundInputs, type KeptFiles, type KeptValues } from "./bind-inputs.ts";
import { checkInputSchemas, checkMediaAddresses } from "./check-bound-inputs.ts";

export interface PreparedSubmit {
  readonly version: number;
  readonly loaded: LoadedVersion;
  readonly billingPlan: BillingPlan;
  readonly bound: BoundInputs;
  readonly limits: AdmissionLimits;
  /** The current content of the nodes' references, which the run keeps. */
  readonly references: References;
}

/** A model that a version needs and the workspace does not have now is a problem of the submit, not of the version. */
export function refuseModels(error: unknown): never {
  if (error instanceof AppError && error.cause instanceof ModelIssues) {
    const { issues } = error.cause;
    const [first] = issues;
    throw new AppError("validation_error", `${first?.path}: ${first?.message}`, {
      errors: issues.map((issue) => definitionProblem(issue)),
    });
  }
  throw error;
}

/**
 * A submit body checked against a workflow: the version that would run, and its bound inputs.
 * Creates nothing. Throws `workflow_not_published`, `invalid_version`, `version_not_available`,
 * `validation_error`, and for stored files `not_found` and `forbidden`.
 */
export async function prepareSubmit(
  ctx: CallerContext,
  pointer: WorkflowPointer,
  given: { readonly body: Omit<SubmitExecution, "workflow">; readonly exactBody: JsonValue },
): Promise<PreparedSubmit> {
  const { body } = given;
  const version = chooseVersion(pointer, body.version);
  const [loaded, billingPlan] = await Promise.all([
    loadForSubmit(ctx, pointer.workflow_id, version),
    getBillingPlan(ctx, ctx.principal),
  ]);
  const bound = await bindChecked(ctx, {
    workflowId: pointer.workflow_id,
    loaded,
    interfaceId:
      body.interface == null ? null : chooseInterface(loaded.definition.interfaces, body.interface),
    given: givenInputs(given.exactBody),
  });
  const references = await runReferences(loaded, bound.parameter_overrides, resolverOf(ctx));
  return {
    version,
    loaded,
    billingPlan,
    bound,
    limits: body.admission_limits ?? {},
    references: new References(references),
  };
}

/** A version for a submit. Throws `version_not_available`, and `validation_error` for models. */
export async function loadForSubmit(
  ctx: CallerContext,
  workflowId: string,
  version: number,
): Promise<LoadedVersion> {
  return await loadVersion(ctx, workflowId, version).catch(refuseModels);
}

/** Binds the inputs of a submit, and checks all that can be checked before the run exists. */
export async function bindChecked(
  ctx: CallerContext,
  {
    workflowId,
    loaded,
    interfaceId,
    given,
    files,
    values: keptValues,
  }: {
    readonly workflowId: string;
    readonly loaded: LoadedVersion;
    readonly interfaceId: string | null;
    readonly given: { readonly [key: string]: JsonValue };
    readonly files?: KeptFiles;
    readonly values?: KeptValues;
  },
): Promise<BoundInputs> {
  const {
    assets,
    kept = [],
    ...values
  } = bindInputs(
    { workflowId, definition: loaded.definition, plan: loaded.plan },
    interfaceId,
    given,
    files,
    keptValues,
  );
  const { input_files = [] } = await bindAssets(ctx, assets);
  const all = [...kept, ...input_files];
  const bound = { ...values, ...(all.length > 0 && { input_files: all }) };
  await checkMediaAddresses(ctx, loaded, bound);
  await checkInputSchemas(loaded, bound);
  return bound;
}

/** Throws `workflow_not_published`, `invalid_version`. */
export function chooseVersion(pointer: WorkflowPointer, pinned: number | undefined): number {
  if (pointer.status !== "published") {
    throw new AppError(
      "workflow_not_published",
      `The workflow ${pointer.workflow_id} is ${pointer.status}; only published workflows run. ${
        pointer.status === "archived" ? "Clone it and publish the clone" : "Publish it"
      }, then submit again.`,
    );
  }
  if (pinned !== undefined && (pinned < 1 || pinned > pointer.version)) {
    throw new AppError(
      "invalid_version",
      `version ${String(pinned)} is out of range: ${pointer.workflow_id} has the versions 1 to ${String(pointer.version)}.`,
      {
        errors: [{ field: "version", message: `Must be from 1 to ${String(pointer.version)}.` }],
      },
    );
  }
  return pinned ?? pointer.version;
}

export function givenInputs(exactBody: JsonValue): { readonly [key: string]: JsonValue } {
  const inputs = isJsonObject(exactBody) ? exactBody["inputs"] : undefined;
  return isJsonObject(inputs) ? inputs : {};
}

import type { ItemInput, StagedItem } from "../../../contracts/batches/batch-object-api.ts";
import type { BatchRecord } from "../../../contracts/batches/batch-object-api.ts";
import type { AdmissionLimits } from "../../../contracts/runs/run.ts";
import { pricedPlan } from "../../../engine/plan/node-cost.ts";
import { References } from "../../../engine/compile/references.ts";
import { AppError, type FieldError } from "../../../lib/errors/errors.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { resolverOf } from "../../references/resolve-references.ts";
import { runReferences } from "../../references/run-references.ts";
import type { LoadedVersion } from "../../workflows/versions/load-version.ts";
import { computeAdmission, countForEstimate } from "../../executions/estimate/compute-admission.ts";
import { bindAssets } from "../../executions/submit/bind-assets.ts";
import { bindInputs, type BoundInputs } from "../../executions/submit/bind-inputs.ts";
import {
  checkInputSchemas,
  checkMediaAddresses,
} from "../../executions/submit/check-bound-inputs.ts";

/** An item as it was sent: its inputs, or what is wrong with it. */
export type GivenItem =
  | {
      readonly inputs: { readonly [key: string]: JsonValue };
      readonly client_reference: string | null;
    }
  | { readonly errors: readonly FieldError[] };

/** What all items of a batch are checked against. */
export interface ItemSubject {
  readonly workflowId: string;
  readonly loaded: LoadedVersion;
  readonly interfaceId: string | null;
  readonly limits: AdmissionLimits;
  readonly commonInputs: { readonly [key: string]: JsonValue };
  /** Throws for an agent's item that needs a bound. */
  readonly checkBound: (bound: Pick<BoundInputs, "input_files">) => void;
}

/** An item that can run, or what is wrong with it: fields below `items[3]`. */
export type PreparedItem =
  | { readonly staged: StagedItem; readonly isExact: boolean }
  | { readonly errors: readonly FieldError[]; readonly staged: StagedItem };

/** Checks items like submits of their own, against one version. Creates nothing. */
export class ItemPreparer {
  readonly #ctx: CallerContext;
  readonly #subject: ItemSubject;
  readonly #hasPaidNodes: boolean;
  readonly common: BatchRecord["common"];

  constructor(ctx: CallerContext, subject: ItemSubject) {
    this.#ctx = ctx;
    this.#subject = subject;
    const { loaded, interfaceId } = subject;
    const references = new References(loaded.references.list);
    const priced = pricedPlan(loaded.plan, [], references);
    this.#hasPaidNodes = loaded.plan.nodes.some(({ costMilliCredits }) => costMilliCredits > 0);
    const entry = loaded.definition.interfaces.find(({ id }) => id === interfaceId);
    this.common = {
      interface_id: interfaceId,
      output_node_ids: entry?.outputs.map(({ node }) => node) ?? null,
      unit_costs: priced.nodes
        .filter(({ costMilliCredits }) => costMilliCredits > 0)
        .map(({ id, costMilliCredits }) => ({ node_id: id, milli_credits: costMilliCredits })),
      references: loaded.references.list,
    };
  }

  async prepare(given: GivenItem): Promise<PreparedItem> {
    if ("errors" in given) {
      return { errors: given.errors, staged: invalid(null, given.errors) };
    }
    try {
      return await this.#prepare(given);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) {
        throw error;
      }
      const errors = error.errors.length > 0 ? error.errors : [fieldErrorOf(error.message)];
      return { errors, staged: invalid(given.client_reference, errors) };
    }
  }

  async #prepare(given: Exclude<GivenItem, { errors: unknown }>): Promise<PreparedItem> {
    const { loaded, interfaceId, limits, commonInputs, workflowId } = this.#subject;
    const { assets, ...values } = bindInputs(
      { workflowId, definition: loaded.definition, plan: loaded.plan },
      interfaceId,
      { ...commonInputs, ...given.inputs },
    );
    const bound = { ...values, ...(await bindAssets(this.#ctx, assets)) };
    await checkMediaAddresses(this.#ctx, loaded, bound);
    await checkInputSchemas(loaded, bound);
    this.#subject.checkBound(bound);
    const list = await runReferences(loaded, bound.parameter_overrides, resolverOf(this.#ctx));
    const references = new References(list);
    const admission = computeAdmission(loaded.plan, bound, limits, references);
    const isExact = !this.#hasPaidNodes || this.#isExact(bound, references);
    const liability = admission.liabilityMilliCredits;
    const input: ItemInput = {
      inputs: bound.inputs,
      ...(bound.input_files !== undefined && { input_files: bound.input_files }),
      parameter_overrides: bound.parameter_overrides,
      prepaid: admission.prepaid,
      ...(bound.parameter_overrides.length > 0 && {
        unit_costs: admission.unit_costs,
        references: list,
      }),
    };
    const staged: StagedItem = {
      client_reference: given.client_reference,
      input_json: JSON.stringify(input),
      liability_milli_credits: liability,
      worst_milli_credits: isExact ? liability : (limits.max_admitted_milli_credits ?? liability),
      error_message: null,
    };
    return { staged, isExact };
  }

  /** Whether the item's cost without failures is its liability. */
  #isExact(bound: BoundInputs, references: References): boolean {
    const { plan } = this.#subject.loaded;
    const priced = pricedPlan(plan, bound.parameter_overrides, references);
    const { nodes } = countForEstimate(plan, bound, new Map());
    return priced.nodes.every(({ index, costMilliCredits, isCostCeiling }) => {
      const counted = nodes[index];
      return (
        costMilliCredits === 0 ||
        (counted !== undefined &&
          !isCostCeiling &&
          (counted.presence === "never" ||
            counted.runs === 0 ||
            (counted.runs !== null && counted.presence === "always")))
      );
    });
  }
}

/** A refusal that is not a `validation_error` begins with its field: `inputs.photo.asset_path: the asset …`. */
function fieldErrorOf(text: string): FieldError {
  const [, field = "inputs", message = text] = /^(inputs[^\s:]*): (.*)$/s.exec(text) ?? [];
  return { field, message };
}

function invalid(reference: string | null, errors: readonly FieldError[]): StagedItem {
  const [first] = errors;
  return {
    client_reference: reference,
    input_json: null,
    liability_milli_credits: 0,
    worst_milli_credits: 0,
    error_message: first === undefined ? null : `${first.field}: ${first.message}`.slice(0, 1_000),
  };
}

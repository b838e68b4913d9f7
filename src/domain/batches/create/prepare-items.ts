import type { ItemInput, StagedItem } from "../../../contracts/batches/batch-object-api.ts";
import type { BatchRecord } from "../../../contracts/batches/batch-object-api.ts";
import type { CacheOptions } from "../../../contracts/runs/cache-options.ts";
import type { Estimate } from "../../../contracts/runs/estimate.ts";
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
import {
  cachedPlan,
  estimateNodes,
  warningsOf,
} from "../../executions/estimate/estimate-execution.ts";
import { bindAssets } from "../../executions/submit/bind-assets.ts";
import { bindInputs, type BoundInputs } from "../../executions/submit/bind-inputs.ts";
import {
  checkInputSchemas,
  checkMediaAddresses,
} from "../../executions/submit/check-bound-inputs.ts";
import { commonStart } from "../common-start.ts";
import { AssetsAhead, type PathsAhead } from "./assets-ahead.ts";
import { splitBatchItem } from "./batch-item.ts";

/** An item as it was sent: its inputs, or what is wrong with it. */
export type GivenItem =
  | {
      readonly inputs: { readonly [key: string]: JsonValue };
      readonly client_reference: string | null;
      /** Of a dataset: the whole row, by column. */
      readonly row?: () => JsonValue;
    }
  | { readonly errors: readonly FieldError[]; readonly client_reference?: string | null };

/** What all items of a batch are checked against. */
export interface ItemSubject {
  readonly workflowId: string;
  readonly loaded: LoadedVersion;
  readonly interfaceId: string | null;
  readonly limits: AdmissionLimits;
  readonly cache: CacheOptions | undefined;
  readonly commonInputs: { readonly [key: string]: JsonValue };
  /** Throws for an agent's item that needs a bound. */
  readonly checkBound: (bound: Pick<BoundInputs, "input_files">) => void;
}

/** An item that can run, or what is wrong with it: fields below `items[3]`. */
export type PreparedItem =
  | { readonly staged: StagedItem; readonly cost: ItemCost }
  | { readonly errors: readonly FieldError[]; readonly staged: StagedItem };

/** What an item would be charged without failures, in milli-credits. */
interface ItemCost {
  readonly milliCredits: number;
  readonly isExact: boolean;
  /** Why it is not exact. */
  readonly warnings: Estimate["warnings"];
}

const FREE: ItemCost = { milliCredits: 0, isExact: true, warnings: [] };

/** Checks items like submits of their own, against one version. Creates nothing. */
export class ItemPreparer {
  readonly #ctx: CallerContext;
  readonly #subject: ItemSubject;
  readonly #assets: AssetsAhead;
  readonly #hasPaidNodes: boolean;
  readonly common: BatchRecord["common"];

  constructor(ctx: CallerContext, subject: ItemSubject) {
    this.#ctx = ctx;
    this.#subject = subject;
    this.#assets = new AssetsAhead(ctx);
    const { loaded, interfaceId } = subject;
    this.#hasPaidNodes = loaded.plan.nodes.some(({ costMilliCredits }) => costMilliCredits > 0);
    this.common = commonStart(loaded, interfaceId);
  }

  /** `ahead` has the assets that this item and the next ones name. */
  async prepare(index: number, given: GivenItem, ahead: PathsAhead): Promise<PreparedItem> {
    if ("errors" in given) {
      const { errors, client_reference = null } = given;
      return { errors, staged: invalid(client_reference, errors) };
    }
    try {
      return await this.#prepare(index, given, ahead);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) {
        throw error;
      }
      const errors = error.errors.length > 0 ? error.errors : [fieldErrorOf(error.message)];
      return { errors, staged: invalid(given.client_reference, errors) };
    }
  }

  async #prepare(
    index: number,
    given: Exclude<GivenItem, { errors: unknown }>,
    ahead: PathsAhead,
  ): Promise<PreparedItem> {
    const { loaded, interfaceId, limits, commonInputs, workflowId } = this.#subject;
    const { plan, definition } = loaded;
    const split = splitBatchItem(
      { plan, entry: definition.interfaces.find(({ id }) => id === interfaceId) },
      { ...commonInputs, ...given.inputs },
      index,
      given.row,
    );
    if (split.errors.length > 0) {
      return { errors: split.errors, staged: invalid(given.client_reference, split.errors) };
    }
    const { assets, ...values } = bindInputs(
      { workflowId, definition, plan },
      interfaceId,
      split.given,
      undefined,
      split.values,
    );
    const bound = {
      ...values,
      ...(await bindAssets(this.#ctx, assets, this.#assets.finder(ahead))),
    };
    await checkMediaAddresses(this.#ctx, loaded, bound);
    await checkInputSchemas(loaded, bound);
    this.#subject.checkBound(bound);
    const list = await runReferences(loaded, bound.parameter_overrides, resolverOf(this.#ctx));
    const references = new References(list);
    const admission = computeAdmission(plan, bound, limits, references);
    const cost = this.#hasPaidNodes ? this.#costOf(bound, references) : FREE;
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
      worst_milli_credits: admission.worstMilliCredits,
      error_message: null,
    };
    return { staged, cost };
  }

  #costOf(bound: BoundInputs, references: References): ItemCost {
    const { cache, loaded } = this.#subject;
    const { plan } = loaded;
    const priced = cachedPlan(pricedPlan(plan, bound.parameter_overrides, references), cache);
    const { nodes } = countForEstimate(plan, bound, new Map());
    const { milliCredits, isExact } = estimateNodes(priced, nodes);
    return { milliCredits, isExact, warnings: isExact ? [] : warningsOf(priced, nodes) };
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

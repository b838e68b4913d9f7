import type { StagedItem } from "../../../contracts/batches/batch-object-api.ts";
import type { CreateBatchHead } from "../../../contracts/batches/batch.ts";
import type { Estimate } from "../../../contracts/runs/estimate.ts";
import type { WorkflowPointer } from "../../../contracts/workspaces/admission.ts";
import { AppError, type FieldError } from "../../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { fetchPointer } from "../../executions/submit/known-pointer.ts";
import { chooseVersion, refuseModels } from "../../executions/submit/prepare-submit.ts";
import { checkAgentBound, parseWorkflowId } from "../../executions/submit/submit-execution.ts";
import { chooseInterface } from "../../workflows/choose-interface.ts";
import { type LoadedVersion, loadVersion } from "../../workflows/versions/load-version.ts";
import type { PathsAhead } from "./assets-ahead.ts";
import { readDatasetItems } from "./dataset-items.ts";
import { type GivenItem, ItemPreparer } from "./prepare-items.ts";

const ERRORS_MAX = LIMITS.batch_problems.value;
const INPUT_CHARS_MAX = LIMITS.batch_inputs.value;

/** The body of a creation or of an estimate. */
export interface BatchBody {
  readonly head: CreateBatchHead;
  /** The same with its original digits. */
  readonly exactHead: JsonValue;
  /** Of the list `items`. */
  readonly count: number;
  /** Items are read when they are checked, so that one at a time is in memory. */
  readonly itemAt: (index: number) => GivenItem;
  /** Paths of assets that an item and the next ones name. */
  readonly pathsFrom: (index: number) => Iterable<string>;
  readonly isAgent: boolean;
}

/** What the items are checked against. */
export interface BatchSubject {
  readonly pointer: WorkflowPointer;
  readonly version: number;
  readonly loaded: LoadedVersion;
  readonly interfaceId: string | null;
  readonly preparer: ItemPreparer;
}

/** Receives the items that a batch would have. */
export interface ItemSink {
  add(item: StagedItem): Promise<void>;
  /** Forgets them. */
  restart(): void;
}

/** Finds the version that the items would run. Throws the codes of a submit. */
export async function subjectOf(ctx: CallerContext, body: BatchBody): Promise<BatchSubject> {
  const { head, exactHead, isAgent } = body;
  const pointer = await fetchPointer(ctx, parseWorkflowId(head.workflow));
  const version = chooseVersion(pointer, head.version);
  const loaded = await loadVersion(ctx, pointer.workflow_id, version).catch(refuseModels);
  const { interfaces } = loaded.definition;
  const interfaceId = head.interface == null ? null : chooseInterface(interfaces, head.interface);
  const limits = head.admission_limits ?? {};
  const preparer = new ItemPreparer(ctx, {
    workflowId: pointer.workflow_id,
    loaded,
    interfaceId,
    limits,
    cache: head.cache,
    commonInputs: membersOf(exactHead, "common_inputs"),
    checkBound: (bound) => {
      checkAgentBound(isAgent, limits, loaded.plan, bound);
    },
  });
  return { pointer, version, loaded, interfaceId, preparer };
}

/**
 * Checks every item, and passes them on until one is found that refuses the batch. Throws `validation_error` with the
 * problems of up to 100 fields, `payload_too_large`, and for a dataset the codes of an inspection.
 */
export async function checkItems(
  ctx: CallerContext,
  { head, exactHead, count, itemAt, pathsFrom }: BatchBody,
  { loaded, interfaceId, preparer }: BatchSubject,
  sink?: ItemSink,
): Promise<ItemChecks> {
  const { dataset } = head;
  const refuses =
    (head.on_invalid_item ?? (dataset === undefined ? "refuse" : "fail_item")) === "refuse";
  let checks = new ItemChecks(preparer, refuses, dataset !== undefined, sink);
  if (dataset === undefined) {
    for (let index = 0; index < count; index++) {
      await checks.add(itemAt(index), () => pathsFrom(index));
    }
  } else {
    const entry = loaded.definition.interfaces.find(({ id }) => id === interfaceId);
    const mapping = isJsonObject(exactHead) ? membersOf(exactHead["dataset"], "mapping") : {};
    await readDatasetItems(ctx, dataset, mapping, { plan: loaded.plan, entry }, () => {
      sink?.restart();
      checks = new ItemChecks(preparer, refuses, true, sink);
      return checks;
    });
  }
  checks.finish();
  return checks;
}

/** The sums and the problems of items that are checked one after another. */
class ItemChecks {
  readonly #preparer: ItemPreparer;
  readonly #refuses: boolean;
  readonly #place: string;
  readonly #sink: ItemSink | undefined;
  readonly #errors: FieldError[] = [];
  /** The first problem of an item that only fails itself. */
  #fault: FieldError | undefined;
  readonly warnings: Estimate["warnings"][number][] = [];
  /** Characters of the inputs of all items. */
  #chars = 0;
  count = 0;
  valid = 0;
  /** The sum of the costs of the valid items, the least and the most, in milli-credits. */
  milliCredits = 0;
  least = Number.POSITIVE_INFINITY;
  most = 0;
  isExact = true;

  constructor(
    preparer: ItemPreparer,
    refuses: boolean,
    isDataset: boolean,
    sink: ItemSink | undefined,
  ) {
    this.#preparer = preparer;
    this.#refuses = refuses;
    this.#place = isDataset ? "dataset.rows" : "items";
    this.#sink = sink;
  }

  /**
   * Throws `validation_error` once there are as many problems as a response has room for, and `payload_too_large` once
   * the items have more inputs than a batch may.
   */
  async add(given: GivenItem, ahead: PathsAhead): Promise<void> {
    const index = this.count;
    this.count++;
    const item = await this.#preparer.prepare(index, given, ahead);
    this.#chars += item.staged.input_json?.length ?? 0;
    if (this.#chars > INPUT_CHARS_MAX) {
      throw new AppError(
        "payload_too_large",
        `The inputs of the items, each with the common ones, have more than ${String(INPUT_CHARS_MAX)} characters. Send large values as assets, or fewer items.`,
      );
    }
    if (!("errors" in item)) {
      const { milliCredits, isExact, warnings } = item.cost;
      this.valid++;
      this.milliCredits += milliCredits;
      this.least = Math.min(this.least, milliCredits);
      this.most = Math.max(this.most, milliCredits);
      this.isExact &&= isExact;
      this.#warn(warnings);
    } else if (this.#refuses) {
      const found = item.errors.slice(0, ERRORS_MAX - this.#errors.length);
      this.#errors.push(...found.map((error) => this.#below(index, error)));
      if (this.#errors.length === ERRORS_MAX) {
        this.finish();
      }
    } else {
      this.#fault ??= item.errors.map((error) => this.#below(index, error))[0];
    }
    if (this.#errors.length === 0) {
      await this.#sink?.add(item.staged);
    }
  }

  /** Throws `validation_error` for the problems so far, or if no item is valid. */
  finish(): void {
    const errors = this.#errors;
    const [first] = errors;
    if (first !== undefined) {
      const more =
        errors.length === 1 ? "" : ` (and ${String(errors.length - 1)} more, see errors)`;
      throw new AppError("validation_error", `${first.field}: ${first.message}${more}`, { errors });
    }
    if (this.valid === 0) {
      const field = this.#place.replace(/\..*/, "");
      const why = this.#fault;
      const first = why === undefined ? "" : ` The first problem: ${why.field}: ${why.message}`;
      const message = `None of the items is valid.${first}`.slice(0, 2_000).toWellFormed();
      throw new AppError("validation_error", `${field}: ${message}`, {
        errors: [{ field, message }],
      });
    }
  }

  /** Warnings of the same node say the same. */
  #warn(warnings: Estimate["warnings"]): void {
    for (const warning of warnings) {
      const isKnown = ({ code, node_id }: typeof warning) =>
        code === warning.code && node_id === warning.node_id;
      if (this.warnings.length < WARNINGS_MAX && !this.warnings.some((one) => isKnown(one))) {
        this.warnings.push(warning);
      }
    }
  }

  /** A row has its inputs themselves as members: `dataset.rows[3].topic`. */
  #below(index: number, error: FieldError): FieldError {
    const place = this.#place;
    const field = place === "items" ? error.field : error.field.replace(/^inputs\.?/, "");
    const dot = field === "" || field.startsWith("[") ? "" : ".";
    return { ...error, field: `${place}[${String(index)}]${dot}${field}` };
  }
}

function membersOf(
  value: JsonValue | undefined,
  name: string,
): { readonly [key: string]: JsonValue } {
  const member = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(member) ? member : {};
}

const WARNINGS_MAX = 100;

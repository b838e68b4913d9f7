import { createHash } from "node:crypto";
import {
  CreateBatchHead,
  CreateBatchItem,
  createBatchFields,
} from "../../contracts/batches/batch.ts";
import type { BatchBody } from "../../domain/batches/create/check-items.ts";
import type { GivenItem } from "../../domain/batches/create/prepare-items.ts";
import { AppError, type ErrorCode, type FieldError } from "../../lib/errors/errors.ts";
import { issueText } from "../../lib/errors/issue-text.ts";
import { canonicalJson } from "../../lib/json/canonical-json.ts";
import { exactValue, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { AppContext } from "../../platform/context.ts";
import { describeIssue } from "../describe-issue.ts";
import { readCapped, requireJsonType, textMemory } from "../read-json-body.ts";
import { type SplitBody, splitBody } from "./split-body.ts";

const ITEMS_MAX = LIMITS.batch_items.value;
const BODY_BYTES_MAX = LIMITS.batch_body.value;
/** Bodies up to this size are read without asking for memory. */
const SMALL_BYTES = 64 * 1024;
/** Items of which the assets are looked up together. */
const ITEMS_AHEAD = 100;
const ASSET_PATH = /"asset_path"\s*:\s*("(?:[^"\\]|\\.){1,2000}")/g;

export interface ReadBody extends Omit<BatchBody, "isAgent"> {
  /** JSON text of an item as it was sent. */
  readonly textAt: (index: number) => string;
}

/**
 * Reads the body of a creation. The bytes stay as they are, and items are parsed one at a time. Throws
 * `unsupported_media_type`, `payload_too_large`, `invalid_request`, and `validation_error` for what is not an item.
 */
export async function readBatchBody(ctx: AppContext, request: Request): Promise<ReadBody> {
  if (request.body === null || request.headers.get("content-length") === "0") {
    throw new AppError("invalid_request", "The body is missing. Send a JSON object.");
  }
  requireJsonType(request);
  const declared = Number(request.headers.get("content-length") ?? BODY_BYTES_MAX);
  const reading =
    declared > SMALL_BYTES && declared <= BODY_BYTES_MAX ? await ctx.memory.take(declared) : null;
  const bytes = await readCapped(request, BODY_BYTES_MAX);
  const body = splitBody(bytes, "items", ITEMS_MAX);
  // Never waits for more memory while holding some, like a body of any other route.
  reading?.release();
  if (bytes.byteLength > SMALL_BYTES) {
    await ctx.memory.take(bytes.byteLength + parsedMemory(body));
  }
  const given = parse(body.head);
  if (given === undefined) {
    throw new AppError("invalid_request", "The body is not valid JSON.");
  }
  const errors: FieldError[] = [];
  const parsed = CreateBatchHead.safeParse(given, { error: issueText, reportInput: true });
  for (const issue of parsed.error?.issues ?? []) {
    errors.push(...describeIssue(issue));
  }
  const problem = sourceProblem(body, given);
  if (problem !== undefined) {
    const known = errors.findIndex(({ field }) => field === problem.field);
    errors.splice(known < 0 ? errors.length : known, known < 0 ? 0 : 1, problem);
  }
  if (!parsed.success || errors.length > 0) {
    throw refusalOf(errors, given);
  }
  return {
    head: parsed.data,
    exactHead: exactValue(body.head, given),
    count: body.count,
    textAt: body.item,
    itemAt: (index) => itemOf(body.item(index), index),
    pathsFrom: (index) => pathsFrom(body, index),
  };
}

/** What the texts of the next items have as an `asset_path`, found without parsing them, as far as they are small. */
function* pathsFrom({ count, bytesOf, item }: SplitBody, from: number): Iterable<string> {
  let bytes = 0;
  for (let index = from; index < Math.min(count, from + ITEMS_AHEAD); index++) {
    bytes += bytesOf(index);
    if (bytes > SMALL_BYTES) {
      return;
    }
    for (const [, text = ""] of item(index).matchAll(ASSET_PATH)) {
      const path = parse(text);
      if (typeof path === "string") {
        yield path;
      }
    }
  }
}

/** Memory for the texts and the values of the head and of the largest item, as one item at a time is parsed. */
function parsedMemory({ head, count, bytesOf, item }: SplitBody): number {
  let most = 0;
  for (let index = 0; index < Math.min(count, ITEMS_MAX); index++) {
    // Small ones need no memory of their own, as small bodies do not.
    if (bytesOf(index) > SMALL_BYTES) {
      most = Math.max(most, textMemory(item(index)));
    }
  }
  return textMemory(head) + most;
}

/** What is wrong with the source of the items: exactly one of `items` and `dataset`. */
function sourceProblem({ hasItems, count }: SplitBody, given: JsonValue): FieldError | undefined {
  const has = (name: string) => isJsonObject(given) && Object.hasOwn(given, name);
  if (has("dataset")) {
    return hasItems || has("items")
      ? { field: "dataset", message: "Send exactly one of items and dataset." }
      : undefined;
  }
  if (hasItems && count > 0 && count <= ITEMS_MAX) {
    return undefined;
  }
  const more = count > ITEMS_MAX ? "; this one has more" : "";
  return {
    field: "items",
    message: `Send a dataset, or a list of 1 to ${String(ITEMS_MAX)} items${more}.`,
  };
}

/**
 * SHA-256 of the canonical JSON of the body's parts, in hex (docs/contract/idempotency.md#fingerprints). An item that is
 * not one is a part by its text.
 */
export function fingerprintBatch({ exactHead, count, itemAt, textAt }: ReadBody): string {
  const digest = createHash("sha256").update(canonicalJson(exactHead));
  for (let index = 0; index < count; index++) {
    const item = itemAt(index);
    const known =
      "errors" in item
        ? textAt(index)
        : { inputs: item.inputs, client_reference: item.client_reference };
    digest.update(canonicalJson(known));
  }
  return digest.digest("hex");
}

/** Throws `invalid_request` for an item that is not JSON, with which the whole body is not. */
function itemOf(text: string, index: number): GivenItem {
  const given = parse(text);
  if (given === undefined) {
    throw new AppError(
      "invalid_request",
      `The body is not valid JSON: items[${String(index)}] is malformed.`,
    );
  }
  const parsed = CreateBatchItem.safeParse(given, { error: issueText, reportInput: true });
  if (!parsed.success) {
    return { errors: parsed.error.issues.flatMap((issue) => describeIssue(issue)) };
  }
  const exact = exactValue(text, given);
  const inputs = isJsonObject(exact) ? exact["inputs"] : undefined;
  return {
    inputs: isJsonObject(inputs) ? inputs : {},
    client_reference: parsed.data.client_reference ?? null,
  };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A missing workflow is a fault of the request, as at a submit. */
function refusalOf(errors: readonly FieldError[], given: JsonValue): AppError {
  const isNamed =
    isJsonObject(given) && createBatchFields.workflow.safeParse(given["workflow"]).success;
  const code: ErrorCode = isNamed ? "validation_error" : "invalid_request";
  const detail = errors.map(({ field, message }) => `${field}: ${message}`).join(" ");
  return new AppError(code, detail.slice(0, 2_000).toWellFormed(), {
    errors: errors.slice(0, LIMITS.problems_reported.value),
  });
}

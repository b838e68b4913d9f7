/**
 * Parameter fields that node types share. Numbers in node parameters keep their source text
 * (docs/contract/conventions.md#numbers), so each field decides whether the digits matter.
 */
import * as z from "zod";
import {
  ExactNumber,
  isJsonNumber,
  isJsonObject,
  type JsonValue,
} from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** A finite number whose digits matter: `start`, `min`. */
export const exactNumberField = z
  .custom<number | ExactNumber>(
    (value) =>
      isJsonNumber(value) &&
      Number.isFinite(value instanceof ExactNumber ? value.toNumber() : value),
    { error: "Must be a finite number." },
  )
  .meta({ type: "number" });

/** A whole number in a range, whose value alone matters: `max_length`, `size`. */
export function integerField(min: number, max: number) {
  return z.preprocess(
    (value) => (value instanceof ExactNumber ? value.toNumber() : value),
    z.int().min(min).max(max),
  );
}

/** A number in a range, whose digits do not matter: levels, seconds, shares. */
export function decimalField(min: number, max: number) {
  return z.preprocess(
    (value) => (value instanceof ExactNumber ? value.toNumber() : value),
    z.number().min(min).max(max),
  );
}

/** Any JSON value, `null` included. */
export const jsonField = z.custom<JsonValue>((value) => value !== undefined, {
  error: "Required: give a JSON value.",
});

/** A JSON Schema: an object, true or false. It is compiled and checked later. */
export const jsonSchemaField = z
  .custom<JsonValue>((value) => typeof value === "boolean" || isJsonObject(value), {
    error: "Must be a JSON Schema: an object, true or false.",
  })
  .meta({ type: ["object", "boolean"] });

/** A port name chosen by the author. */
export const portNameField = z.string().min(1).max(LIMITS.identifier.value);

export const valueTypeField = z.enum(["text", "number", "boolean", "json", "url", "any"]);

/** Types of values that are not files (columns, picked values). */
export type ValueType = z.infer<typeof valueTypeField>;

/** Parameters of every input node. */
export const inputParameters = {
  required: z
    .boolean()
    .default(true)
    .meta({ title: "Required", description: "Whether a run must send a value." }),
  description: z
    .string()
    .max(LIMITS.description.value)
    .default("")
    .meta({ title: "Description", description: "What the caller should send, in a sentence." }),
};

/** The name of a file that a node makes. */
export function fileNameParameter(byDefault: string) {
  return z.string().min(1).max(LIMITS.identifier.value).default(byDefault).meta({
    title: "File name",
    description: "Name of the file.",
    advanced: true,
  });
}

/** Parameters of every output node. */
export const outputParameters = {
  key: z.string().min(1).max(LIMITS.identifier.value).optional().meta({
    title: "Key",
    description: "The key in the result; made from the node's label when left out.",
  }),
  description: z.string().max(LIMITS.description.value).default("").meta({ title: "Description" }),
  file_name: z.string().min(1).max(LIMITS.identifier.value).optional().meta({
    title: "File name",
    description: "Name of a downloaded value; `{index}` stands for the element's number.",
    advanced: true,
  }),
};

/** Parameters of every aggregator. */
export const aggregateParameters = {
  collapse: z.enum(["all", "innermost"]).default("all").meta({
    title: "Collapse",
    description: "Close every axis of iteration, or the innermost only.",
  }),
  on_failed_items: z.enum(["skip", "fail"]).default("skip").meta({
    title: "On failed items",
    description: "Leave failed elements out with a warning, or fail.",
  }),
};

/** Parameters of inputs that accept a stored file only. */
export const defaultFileParameters = {
  default: z.string().min(1).max(LIMITS.asset_path.value).nullish().meta({
    title: "Default file",
    description: "The asset_path to use when a run does not send one.",
  }),
  asset_path: z.string().min(1).max(LIMITS.asset_path.value).nullish().meta({
    title: "File",
    description: "The same as `default`, which takes precedence.",
  }),
};

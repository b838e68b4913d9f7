/** Values of fields: what a command may set, what breaks a constraint, and what a run is sent. */
import { type FieldConfig, kindOf, optionsOf } from "./config.ts";

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

/** A stored file, or the address of a public one. */
export type MediaValue =
  | {
      readonly asset_path: string;
      readonly name: string;
      readonly content_type: string;
      readonly size_bytes: number;
    }
  | { readonly url: string };

/** Null: the field is empty, and a run is not sent a value for it. */
export type FieldValue = Json | MediaValue;

/** Why a value cannot be sent, with the figures of its sentence. */
export interface Problem {
  readonly code:
    | "required"
    | "number"
    | "min"
    | "max"
    | "range"
    | "step"
    | "length"
    | "choice"
    | "json"
    | "url"
    | "file_type"
    | "file_size"
    | "upload"
    | "uploading"
    | "file_refused"
    | "file_again"
    | "refused";
  readonly values?: Readonly<Record<string, string | number>>;
}

/** A value read from a message: accepted, a file to upload first, or of the wrong type. */
export type Read =
  | { readonly value: FieldValue }
  | { readonly file: Blob }
  | { readonly wrong: true };

const WRONG = { wrong: true } as const;
/** Deepest nesting of a JSON value; the API accepts no deeper one. */
const DEPTH_MAX = 64;

/** Reads a value of a message for a field (docs/embeds.md): its JSON type must be that of the field. */
export function readValue(field: FieldConfig, raw: unknown): Read {
  if (raw === null) {
    return { value: null };
  }
  switch (kindOf(field)) {
    case "text":
    case "choice":
      return typeof raw === "string" ? { value: raw } : WRONG;
    case "number":
      return typeof raw === "number" && Number.isFinite(raw) ? { value: raw } : WRONG;
    case "boolean":
      return typeof raw === "boolean" ? { value: raw } : WRONG;
    case "json": {
      const value = cloneJson(raw, DEPTH_MAX);
      return value === undefined ? WRONG : { value };
    }
    case "file":
      return readMedia(raw);
  }
}

function readMedia(raw: unknown): Read {
  if (raw instanceof Blob) {
    return { file: raw };
  }
  if (typeof raw === "string") {
    return isPublicAddress(raw) ? { value: { url: raw } } : WRONG;
  }
  if (typeof raw !== "object" || raw === null) {
    return WRONG;
  }
  const { url, asset_path, name, content_type, size_bytes } = raw as Record<string, unknown>;
  if (typeof url === "string" && asset_path === undefined) {
    return isPublicAddress(url) ? { value: { url } } : WRONG;
  }
  if (typeof asset_path !== "string" || asset_path === "" || asset_path.length > 1024) {
    return WRONG;
  }
  return {
    value: {
      asset_path,
      name: typeof name === "string" && name !== "" ? name : (asset_path.split("/").at(-1) ?? ""),
      content_type: typeof content_type === "string" ? content_type : "",
      size_bytes: typeof size_bytes === "number" && size_bytes >= 0 ? size_bytes : 0,
    },
  };
}

/** Whether a text is an HTTPS address without credentials. */
export function isPublicAddress(text: string): boolean {
  if (text.length > 4096 || !URL.canParse(text)) {
    return false;
  }
  const { protocol, username, password } = new URL(text);
  return protocol === "https:" && username === "" && password === "";
}

/**
 * Copies a JSON value; undefined for anything else (cycles, which end at the depth limit, functions, dates, NaN). The
 * copy has no inherited or accessor property of the original.
 */
export function cloneJson(raw: unknown, depth: number): Json | undefined {
  if (raw === null || typeof raw === "string" || typeof raw === "boolean") {
    return raw;
  }
  if (typeof raw === "number") {
    return Number.isFinite(raw) ? raw : undefined;
  }
  if (typeof raw !== "object" || depth === 0) {
    return undefined;
  }
  if (Array.isArray(raw)) {
    const items: Json[] = [];
    for (const item of raw as readonly unknown[]) {
      const copy = cloneJson(item, depth - 1);
      if (copy === undefined) {
        return undefined;
      }
      items.push(copy);
    }
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(raw);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return undefined;
  }
  const copies: [string, Json][] = [];
  for (const [name, item] of Object.entries(raw)) {
    const copy = cloneJson(item, depth - 1);
    if (copy === undefined) {
      return undefined;
    }
    copies.push([name, copy]);
  }
  // `fromEntries` defines properties, so that a member "__proto__" stays a member.
  return Object.fromEntries(copies);
}

/** Returns the value that a field begins with. A default that is not of the field's type is left to the service. */
export function defaultOf(field: FieldConfig): FieldValue {
  if (field.default_value !== undefined) {
    try {
      const read = readValue(field, JSON.parse(field.default_value));
      if ("value" in read) {
        return read.value;
      }
    } catch {
      // The service applies its own default.
    }
  }
  // A box that is not ticked means "no"; a person cannot enter a third state.
  return kindOf(field) === "boolean" && field.required ? false : null;
}

/** Returns the rule that a value breaks, or null. An empty optional field breaks none. */
export function problemOf(field: FieldConfig, value: FieldValue): Problem | null {
  if (value === null || value === "") {
    return field.required ? { code: "required" } : null;
  }
  switch (kindOf(field)) {
    case "text":
      return field.max_length !== undefined &&
        typeof value === "string" &&
        value.length > field.max_length
        ? { code: "length", values: { max: field.max_length, length: value.length } }
        : null;
    case "number":
      return numberProblem(field.constraints ?? {}, Number(value));
    case "choice": {
      const options = optionsOf(field);
      return options.length > 0 && !options.some(({ code }) => code === value)
        ? { code: "choice" }
        : null;
    }
    case "boolean":
    case "json":
    case "file":
      return null;
  }
}

function numberProblem(
  { min, max, step }: NonNullable<FieldConfig["constraints"]>,
  value: number,
): Problem | null {
  const isLow = min !== undefined && value < min;
  const isHigh = max !== undefined && value > max;
  if (isLow || isHigh) {
    if (min !== undefined && max !== undefined) {
      return { code: "range", values: { min, max } };
    }
    return isLow ? { code: "min", values: { min } } : { code: "max", values: { max: max ?? 0 } };
  }
  if (step !== undefined && step > 0) {
    const steps = (value - (min ?? 0)) / step;
    // Decimal steps such as 0.1 have no exact binary form.
    if (Math.abs(steps - Math.round(steps)) > 1e-9 * Math.max(1, Math.abs(steps))) {
      return { code: "step", values: { step } };
    }
  }
  return null;
}

/** An entry of `inputs` in a submit (docs/contract/executions.md#inputs). */
export type InputEntry = { readonly value: string } | { readonly asset_path: string };

/** Returns the entry that a run is sent for a value; undefined if the field is left out. */
export function toEntry(field: FieldConfig, value: FieldValue): InputEntry | undefined {
  if (value === null) {
    return undefined;
  }
  if (kindOf(field) === "file") {
    // The kind of the field decides the shape of its value (`readValue`).
    const media = value as MediaValue;
    return "url" in media ? { value: JSON.stringify(media.url) } : { asset_path: media.asset_path };
  }
  // An emptied optional text is left out, unless the service would then use its default.
  if (value === "" && field.default_value === undefined) {
    return undefined;
  }
  return { value: JSON.stringify(value) };
}

/**
 * Reads the text of a number's control. Null: empty; undefined: not a number. A comma is a decimal comma, unless three
 * digits follow it, which could mean thousands.
 */
export function parseNumber(text: string): number | null | undefined {
  const trimmed = text
    .trim()
    .replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x06_60))
    .replace("\u{66B}", ".")
    .replace("\u{2212}", "-")
    .replace(/^([+-]?\d*),(?!\d{3}$)(?=\d+$)/, "$1.");
  if (trimmed === "") {
    return null;
  }
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(trimmed)
    ? Number(trimmed)
    : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Reads the text of a JSON control. Null: empty; undefined: not JSON. */
export function parseJsonText(text: string): Json | undefined {
  if (text.trim() === "") {
    return null;
  }
  try {
    return cloneJson(JSON.parse(text), DEPTH_MAX);
  } catch {
    return undefined;
  }
}

/** The extension of a file name in lower case, with its dot; empty if it has none. */
export function extensionOf(name: string): string {
  return /\.[^./\\]+$/.exec(name)?.[0].toLowerCase() ?? "";
}

/** Returns the rule of a field that a chosen file breaks, or null. */
export function fileProblem(
  field: FieldConfig,
  file: { readonly name: string; readonly size: number },
): Problem | null {
  const { accept, max_size_bytes: max } = field;
  if (accept !== undefined && accept.length > 0 && !accept.includes(extensionOf(file.name))) {
    return { code: "file_type", values: { types: accept.map((type) => type.slice(1)).join(", ") } };
  }
  if (max !== undefined && file.size > max) {
    return { code: "file_size", values: { max, size: file.size } };
  }
  return null;
}

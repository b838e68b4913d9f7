import { isJsonNumber, isJsonObject, type JsonValue, numberToken } from "../../lib/exact-json.ts";
import type { NodeType } from "../../nodes/define-node.ts";
import { exampleFromSchema } from "./example-from-schema.ts";

type InputType = Extract<NodeType, { role: "input" }>;

const MEDIA_EXAMPLES = {
  image: "https://example.com/image.png",
  video: "https://example.com/video.mp4",
  audio: "https://example.com/audio.mp3",
  document: "https://example.com/document.pdf",
  model3d: "https://example.com/model.glb",
} as const;

/** Whether an input of this kind takes a file. */
export function isMediaKind(kind: string): kind is keyof typeof MEDIA_EXAMPLES {
  return Object.hasOwn(MEDIA_EXAMPLES, kind);
}

/** A value that the input node accepts: its default, else the first of some natural ones that passes its own check. */
export function exampleValue(
  type: InputType,
  params: unknown,
  label: string,
): JsonValue | undefined {
  const fallback = type.defaultValue(params);
  if (fallback !== undefined) {
    return fallback;
  }
  if (isMediaKind(type.inputKind)) {
    return MEDIA_EXAMPLES[type.inputKind];
  }
  const parameters = isJsonObject(params) ? params : {};
  for (const candidate of candidates(type, parameters, label)) {
    const parsed = type.parse(candidate, params);
    if (!("problem" in parsed)) {
      return candidate;
    }
  }
  return undefined;
}

function candidates(
  type: InputType,
  parameters: { readonly [key: string]: JsonValue },
  label: string,
): JsonValue[] {
  const text = `Example ${label.trim().toLowerCase()}`.trimEnd();
  const texts = [text, "Example", "Ex", "x", "https://example.com/", "2026-01-01", "1"];
  const numbers = numberCandidates(parameters);
  switch (type.inputKind) {
    case "text":
      return texts;
    case "number":
      return numbers;
    case "boolean":
      return [true, false];
    case "json":
    case "any":
    case "image":
    case "video":
    case "audio":
    case "document":
    case "model3d":
      return [
        ...(type.enumerate === undefined ? [] : [exampleRows(parameters)]),
        ...(isJsonObject(parameters["schema"]) ? [exampleFromSchema(parameters["schema"])] : []),
        { example: true },
        [{ example: true }],
        ...texts,
        ...numbers,
        true,
      ];
  }
}

function numberCandidates(parameters: { readonly [key: string]: JsonValue }): JsonValue[] {
  const [min, max, step] = ["min", "max", "step"].map((name) => {
    const value = parameters[name];
    return isJsonNumber(value) ? value : undefined;
  });
  const [low, high, by] = [min ?? 0, max ?? 0, step ?? 1].map((value) =>
    Number(numberToken(value)),
  );
  const between = [(low ?? 0) + (by ?? 1), ((low ?? 0) + (high ?? 0)) / 2];
  return [1, min, max, 0, step, ...between].filter((value) => value !== undefined);
}

const BY_OUTPUT_TYPE: Readonly<Record<string, JsonValue>> = {
  text: "Example",
  number: 1,
  boolean: true,
  json: { example: true },
  url: "https://example.com/",
};

/** Two rows with every column that the node reads from them. */
function exampleRows(parameters: { readonly [key: string]: JsonValue }): JsonValue {
  const config = parameters["jsonConfig"];
  const properties = isJsonObject(config) ? config["properties"] : undefined;
  const row = (): JsonValue => {
    const made: Record<string, unknown> = Object.create(null);
    for (const property of Array.isArray(properties) ? (properties as readonly JsonValue[]) : []) {
      if (
        isJsonObject(property) &&
        typeof property["path"] === "string" &&
        property["isComputed"] !== true
      ) {
        const type = property["outputType"];
        const value = (typeof type === "string" ? BY_OUTPUT_TYPE[type] : undefined) ?? "Example";
        setAt(made, namesOf(property["path"]), value);
      }
    }
    return made as JsonValue;
  };
  const rows = [row(), row()] as const;
  const table = typeof parameters["table"] === "string" ? namesOf(parameters["table"]) : [];
  if (table.length === 0) {
    return rows;
  }
  const wrapped: Record<string, unknown> = Object.create(null);
  setAt(wrapped, table, rows);
  return wrapped as JsonValue;
}

/** `$.a.b` → `a`, `b`; bracket notation is left to the author's own default. */
function namesOf(path: string): string[] {
  return path
    .replace(/^\$\.?/, "")
    .split(".")
    .filter((name) => name !== "");
}

/** Every level has no prototype, so that any name is plain data. */
function setAt(target: Record<string, unknown>, names: readonly string[], value: JsonValue): void {
  const [name, ...rest] = names;
  if (name === undefined || name === "") {
    return;
  }
  if (rest.length === 0) {
    target[name] ??= value;
    return;
  }
  const inner = target[name];
  const next = (isJsonObject(inner) ? inner : Object.create(null)) as Record<string, unknown>;
  target[name] = next;
  setAt(next, rest, value);
}

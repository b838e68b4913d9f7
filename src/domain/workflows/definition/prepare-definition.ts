import { CONNECTIONS_MAX, NODES_MAX } from "../../../contracts/workflows/definition.ts";
import type { DefinitionIssue } from "../../../engine/plan/plan.ts";
import { canonicalJson } from "../../../lib/json/canonical-json.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue, stringifyJson } from "../../../lib/json/exact-json.ts";
import { jsonValueProblem } from "../../../lib/json/value-depth.ts";
import { sha256Hex } from "../../../lib/sha256.ts";
import { newId } from "../../../platform/ids.ts";
import { definitionProblem } from "./definition-problem.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";

/**
 * A run stores its definition in one row of an object, whose limit is 2 MB; this leaves half of it
 * for the rest.
 */
const DEFINITION_MAX_BYTES = LIMITS.definition.value;

/** The problem of a definition that is too large; undefined if it fits. */
export function definitionSizeProblem(text: string): string | undefined {
  const bytes = new TextEncoder().encode(text).byteLength;
  return bytes > DEFINITION_MAX_BYTES
    ? `The definition has ${bytes} bytes of JSON; at most ${DEFINITION_MAX_BYTES} can be stored. Send large data as inputs or assets instead of defaults.`
    : undefined;
}

export interface PreparedDefinition {
  /** The text to store and return: the given definition, with an id for every interface. */
  readonly text: string;
  /** Equal for equal content, in any order of keys. */
  readonly contentHash: string;
}

const MAXIMA = {
  nodes: NODES_MAX,
  connections: CONNECTIONS_MAX,
  interfaces: LIMITS.interfaces.value,
} as const;

/**
 * Prepares a definition for storage. It may be invalid (docs/contract/workflows.md#definitions),
 * but its lists must be lists of objects within their limits, so that an editor can always open it
 * again. Throws `validation_error` with every such problem, `payload_too_large`.
 */
export async function prepareDefinition(
  value: JsonValue,
  previousText: string | undefined,
  nowMs: number,
): Promise<PreparedDefinition> {
  const issues = frameIssues(value);
  const [first] = issues;
  if (!isJsonObject(value) || first !== undefined) {
    throw new AppError(
      "validation_error",
      `The definition cannot be saved: ${first?.message ?? "it is not an object."}`,
      { errors: issues.map((issue) => definitionProblem(issue)) },
    );
  }
  const unstorable = jsonValueProblem(value);
  if (unstorable !== undefined) {
    const message = `The definition cannot be saved: ${unstorable}.`;
    throw new AppError("validation_error", message, {
      errors: [definitionProblem({ code: "INVALID_FIELD", path: "", message })],
    });
  }
  const named = nameInterfaces(value, previousText, nowMs);
  const text = stringifyJson(named);
  const tooLarge = definitionSizeProblem(text);
  if (tooLarge !== undefined) {
    throw new AppError("payload_too_large", tooLarge);
  }
  const content = { connections: [], interfaces: [], settings: {}, ...named };
  return { text, contentHash: await sha256Hex(canonicalJson(content)) };
}

function frameIssues(value: JsonValue): DefinitionIssue[] {
  const members = isJsonObject(value) ? value : {};
  return (["nodes", "connections", "interfaces"] as const).flatMap((name): DefinitionIssue[] => {
    const list = Object.hasOwn(members, name) ? members[name] : undefined;
    if (list === undefined && name !== "nodes") {
      return [];
    }
    if (!Array.isArray(list)) {
      const suggestion =
        name === "nodes" && Object.hasOwn(members, "definition")
          ? { suggestion: "Send the bare definition, without a member named definition around it." }
          : {};
      const message = `A definition needs "${name}", a list of objects.`;
      return [{ code: "INVALID_FIELD", path: name, message, ...suggestion }];
    }
    if (list.length > MAXIMA[name]) {
      const message = `A definition can have ${MAXIMA[name]} ${name}, but this one has ${list.length}. Split the workflow.`;
      return [{ code: "DEFINITION_TOO_LARGE", path: name, message }];
    }
    const strange = (list as readonly JsonValue[]).findIndex((entry) => !isJsonObject(entry));
    if (strange === -1) {
      return [];
    }
    const path = `${name}[${strange}]`;
    return [{ code: "INVALID_FIELD", path, message: `${path} is not an object.` }];
  });
}

/**
 * A missing id is replaced by the previous id of the interface with that name, else by a new one;
 * given ids are kept.
 */
function nameInterfaces(
  value: { readonly [key: string]: JsonValue },
  previousText: string | undefined,
  nowMs: number,
): { readonly [key: string]: JsonValue } {
  const interfaces = interfacesOf(value);
  if (interfaces.every((entry) => Object.hasOwn(entry, "id"))) {
    return value;
  }
  const given = new Set(interfaces.map((entry) => entry["id"]));
  const known = new Map(
    previousText === undefined
      ? []
      : interfacesOf(JSON.parse(previousText) as JsonValue)
          .filter((entry) => typeof entry["id"] === "string" && !given.has(entry["id"]))
          .map((entry) => [entry["name"], entry["id"]]),
  );
  const named = interfaces.map((entry) => {
    if (Object.hasOwn(entry, "id")) {
      return entry;
    }
    const before = known.get(entry["name"]);
    known.delete(entry["name"]);
    return { id: before ?? newId("interface", nowMs), ...entry };
  });
  return { ...value, interfaces: named };
}

function interfacesOf(value: JsonValue): { readonly [key: string]: JsonValue }[] {
  const list = isJsonObject(value) ? value["interfaces"] : undefined;
  return (Array.isArray(list) ? (list as readonly JsonValue[]) : []).filter((entry) =>
    isJsonObject(entry),
  );
}

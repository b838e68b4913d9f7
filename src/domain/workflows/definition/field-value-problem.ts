import type { InterfaceField } from "../../../contracts/workflows/definition.ts";
import { ExactNumber, isJsonNumber, type JsonValue } from "../../../lib/json/exact-json.ts";

/**
 * The problem of a value for a field of a custom interface, by the field's type and constraints;
 * undefined if it fits. Files and catalog codes are checked where they are resolved.
 */
export function fieldValueProblem(field: InterfaceField, value: JsonValue): string | undefined {
  switch (field.type) {
    case "number":
      return numberProblem(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "text":
      return typeof value === "string" ? undefined : "must be a text";
    case "enum": {
      const allowed = field.constraints?.allowed_values ?? [];
      return typeof value === "string" && allowed.includes(value)
        ? undefined
        : `must be one of ${allowed.map((option) => JSON.stringify(option)).join(", ")}`;
    }
    case "json":
      return undefined;
    case "preset":
    case "effect":
      return typeof value === "string" && value !== ""
        ? undefined
        : `must be a code of the catalog (GET /api/v1/${field.type}s)`;
    default:
      return isHttpsAddress(value) ? undefined : "must be a public https address";
  }
}

/** The only possible check of an address here; it is checked completely when it is fetched. */
function isHttpsAddress(value: JsonValue): boolean {
  return typeof value === "string" && value.startsWith("https://");
}

function numberProblem(field: InterfaceField, value: JsonValue): string | undefined {
  if (!isJsonNumber(value)) {
    return "must be a number";
  }
  const number = value instanceof ExactNumber ? value.toNumber() : value;
  const { min, max, step } = field.constraints ?? {};
  if (!Number.isFinite(number)) {
    return "must be a finite number";
  }
  if (min !== undefined && number < min) {
    return `must be at least ${min}`;
  }
  if (max !== undefined && number > max) {
    return `must be at most ${max}`;
  }
  if (step !== undefined) {
    const steps = (number - (min ?? 0)) / step;
    // Doubles cannot represent 0.1 exactly: a deviation of a millionth of a step is accepted.
    if (Math.abs(steps - Math.round(steps)) > 1e-6) {
      return `must be ${min === undefined ? "a multiple" : `${min} plus a multiple`} of ${step}`;
    }
  }
  return undefined;
}

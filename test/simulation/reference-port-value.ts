import { Decimal } from "decimal.js";
import { isMediaKind } from "../../src/contracts/media/media-kinds.ts";
import type { PortType } from "../../src/contracts/workflows/port-type.ts";
import { type ExactNumber, isJsonNumber, numberToken } from "../../src/lib/json/exact-json.ts";
import { FileRef } from "../../src/lib/files/file-ref.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import type { InputPort, RunValue } from "../../src/nodes/define-ports.ts";

/**
 * A value as an input port receives it (nodes (4), first paragraph). Throws NodeError
 * `TYPE_MISMATCH` when the port cannot take it.
 */
export function referencePortValue(value: RunValue, port: InputPort): RunValue {
  const accepts = [port.type, ...(port.accepts ?? [])];
  if (port.type === "text" && isJsonNumber(value) && accepts.includes("number")) {
    return canonicalDecimal(value);
  }
  if (port.type === "text" && typeof value === "boolean" && accepts.includes("boolean")) {
    return String(value);
  }
  if (!accepts.some((type) => fits(value, type))) {
    throw new NodeError("TYPE_MISMATCH", `port "${port.name}" takes ${accepts.join(", ")}`);
  }
  return value;
}

function fits(value: RunValue, type: PortType): boolean {
  switch (type) {
    case "any":
      return true;
    case "text":
    case "url":
      return typeof value === "string";
    case "number":
      return isJsonNumber(value);
    case "boolean":
      return typeof value === "boolean";
    case "json":
      return !(value instanceof FileRef);
    default:
      return isMediaKind(type) ? value instanceof FileRef : true;
  }
}

function canonicalDecimal(value: number | ExactNumber): string {
  const text = new Decimal(numberToken(value)).toFixed();
  return text === "-0" ? "0" : text;
}

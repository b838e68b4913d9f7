import { MEDIA_KIND_NAMES, mediaKind } from "../../contracts/media/media-kinds.ts";
import type { PortType } from "../../contracts/workflows/port-type.ts";
import { canonicalDecimal } from "../../lib/json/canonical-decimal.ts";
import { isJsonNumber, numberToken } from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { RunValue } from "../../nodes/define-ports.ts";

interface Port {
  readonly port: string;
  readonly type: PortType;
  readonly accepts: readonly PortType[];
}

/**
 * Checks a value against its input port, including values of type `any` at run time [E9], and converts accepted numbers
 * and booleans to canonical text. Throws NodeError `TYPE_MISMATCH`.
 */
export function fitInput(value: RunValue, port: Port): RunValue {
  const actual = typeOfValue(value);
  const isFile = value instanceof FileRef;
  switch (port.type) {
    case "any":
      return value;
    case "text":
    case "url":
      if (typeof value === "string") {
        return value;
      }
      if (port.accepts.includes(actual) && isJsonNumber(value)) {
        return canonicalDecimal(numberToken(value));
      }
      if (port.accepts.includes(actual) && typeof value === "boolean") {
        return String(value);
      }
      break;
    case "json":
    case "dataset":
      // Any JSON value is accepted: connections of type `text` are already rejected when the definition is saved.
      if (!isFile) {
        return value;
      }
      break;
    default:
      if (actual === port.type) {
        return value;
      }
  }
  if (port.accepts.includes(actual)) {
    return value;
  }
  throw new NodeError(
    "TYPE_MISMATCH",
    `Input "${port.port}" takes ${[port.type, ...port.accepts].join(" or ")}, but received ${actual}.`,
  );
}

function typeOfValue(value: RunValue): PortType {
  if (value instanceof FileRef) {
    return fileType(value.contentType);
  }
  if (isJsonNumber(value)) {
    return "number";
  }
  if (typeof value === "string") {
    return "text";
  }
  return typeof value === "boolean" ? "boolean" : "json";
}

function fileType(contentType: string): PortType {
  const [top = ""] = contentType.split("/");
  return MEDIA_KIND_NAMES.find((kind) => mediaKind(kind).mediaType === top) ?? "document";
}

import type * as z from "zod";
import { plainNumbers } from "../../contracts/plain-numbers.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { AppError, type FieldError } from "../../lib/errors.ts";
import { type JsonValue, stringifyJson } from "../../lib/exact-json.ts";
import { fieldPath } from "../../lib/field-path.ts";
import { LIMITS } from "../../lib/limits-table.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { DesignDocument, SCHEMA_VERSION } from "../../templates/document/design-document.ts";

/** A valid document, as it is stored: what was sent, with the digits of its numbers. */
export interface PreparedDocument {
  readonly content: Uint8Array;
  /** Hex digest of its canonical JSON. */
  readonly contentHash: string;
  readonly pageCount: number;
}

/** Throws `content_invalid` with every problem. */
export async function prepareDocument(document: JsonValue): Promise<PreparedDocument> {
  const { pages } = readDocument(document);
  return {
    content: new TextEncoder().encode(stringifyJson(document)),
    contentHash: await sha256Hex(canonicalJson(document)),
    pageCount: pages.length,
  };
}

/** The document with its defaults. Throws `content_invalid`. */
export function readDocument(document: JsonValue): DesignDocument {
  const parsed = DesignDocument.safeParse(plainNumbers(document), { reportInput: true });
  if (parsed.success) {
    return parsed.data;
  }
  const errors = parsed.error.issues.flatMap((issue) => problemsOf(issue));
  throw new AppError(
    "content_invalid",
    `The document breaks ${String(errors.length)} rule${errors.length === 1 ? "" : "s"} of its format. The first is at ${errors[0]?.field ?? ""}: ${errors[0]?.message ?? ""}`,
    { errors: errors.slice(0, LIMITS.document_problems.value) },
  );
}

function problemsOf(issue: z.core.$ZodIssue): FieldError[] {
  const field = fieldPath("", issue.path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        field: fieldPath("", [...issue.path, key]),
        message: "This property is not part of the format.",
        code: "unknown_property",
      }));
    case "too_small":
    case "too_big":
      return [
        {
          field,
          message: issue.message,
          code: issue.origin === "array" ? "limit_exceeded" : "out_of_range",
        },
      ];
    default:
      return [
        {
          field,
          message: issue.message,
          code: issue.input === undefined ? "missing_property" : "invalid_value",
        },
      ];
  }
}

/** One empty A4 page. */
export function emptyDocument(): JsonValue {
  return {
    schemaVersion: SCHEMA_VERSION,
    pages: [{ id: crypto.randomUUID(), name: "Page 1", width: 595, height: 842, pageFormat: "A4" }],
  };
}

import { AppError } from "../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { DocumentProblem } from "../../templates/document/problem.ts";
import { canonicalText, storedText } from "./document-texts.ts";
import { SCHEMA_VERSION } from "../../templates/document/design-document.ts";
import { PROBLEMS_MAX } from "../../templates/document/problem-list.ts";
import {
  validateDocument,
  type ValidatedDocument,
} from "../../templates/document/validate-document.ts";

/** A valid document, as it is stored: what was sent, with the digits of its numbers. */
export interface PreparedDocument {
  readonly content: Uint8Array;
  /** Hex digest of its canonical JSON. */
  readonly contentHash: string;
  readonly pageCount: number;
}

/** Throws `content_invalid` with every problem. */
export async function prepareDocument(document: JsonValue): Promise<PreparedDocument> {
  readDocument(document);
  return await storedForm(document);
}

/** The same for a document that was validated. */
export async function storedForm(document: JsonValue): Promise<PreparedDocument> {
  const pages = isJsonObject(document) ? document["pages"] : undefined;
  return {
    content: new TextEncoder().encode(storedText(document)),
    contentHash: await sha256Hex(canonicalText(document)),
    pageCount: Array.isArray(pages) ? pages.length : 0,
  };
}

/** The document and its fields. Throws `content_invalid` with every problem. */
export function readDocument(document: JsonValue): Extract<ValidatedDocument, { ok: true }> {
  const validated = validateDocument(document);
  if (validated.ok) {
    return validated;
  }
  throw contentInvalid(validated.problems);
}

/** The refusal of a document with these problems. */
export function contentInvalid(problems: readonly DocumentProblem[]): AppError {
  const count =
    problems.length === PROBLEMS_MAX ? `at least ${String(PROBLEMS_MAX)}` : String(problems.length);
  return new AppError(
    "content_invalid",
    `The document breaks ${count} rule${problems.length === 1 ? "" : "s"} of its format. The first is at ${problems[0]?.field ?? ""}: ${problems[0]?.message ?? ""}`,
    { errors: problems },
  );
}

/** One empty A4 page. */
export function emptyDocument(): JsonValue {
  return {
    schemaVersion: SCHEMA_VERSION,
    pages: [{ id: crypto.randomUUID(), name: "Page 1", width: 595, height: 842, pageFormat: "A4" }],
  };
}

import { plainNumbers } from "../../contracts/plain-numbers.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { AppError } from "../../lib/errors.ts";
import { type JsonValue, stringifyJson } from "../../lib/exact-json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import {
  DesignDocument,
  type DesignDocumentInput,
  SCHEMA_VERSION,
} from "../../templates/document/design-document.ts";
import { PROBLEMS_MAX } from "../../templates/document/problem-list.ts";
import { validateDocument } from "../../templates/document/validate-document.ts";

/** A valid document, as it is stored: what was sent, with the digits of its numbers. */
export interface PreparedDocument {
  readonly content: Uint8Array;
  /** Hex digest of its canonical JSON. */
  readonly contentHash: string;
  readonly pageCount: number;
}

/** Throws `content_invalid` with every problem. */
export async function prepareDocument(document: JsonValue): Promise<PreparedDocument> {
  const { pages } = checkDocument(document);
  return {
    content: new TextEncoder().encode(stringifyJson(document)),
    contentHash: await sha256Hex(canonicalJson(document)),
    pageCount: pages.length,
  };
}

/** The document with its defaults. Throws `content_invalid`. */
export function readDocument(document: JsonValue): DesignDocument {
  checkDocument(document);
  return DesignDocument.parse(plainNumbers(document));
}

function checkDocument(document: JsonValue): DesignDocumentInput {
  const result = validateDocument(document);
  if (result.ok) {
    return result.document;
  }
  const { problems } = result;
  const count = problems.length === PROBLEMS_MAX ? `at least ${PROBLEMS_MAX}` : problems.length;
  throw new AppError(
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

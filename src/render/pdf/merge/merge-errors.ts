import { NodeError } from "../../../lib/errors/node-error.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";

/** `reason` continues the sentence that `name` begins. */
export function pdfUnreadable(name: string, reason: string, cause?: unknown): NodeError {
  return new NodeError(
    "PDF_UNREADABLE",
    `${name} ${reason}. Save it as PDF again, and send it whole.`,
    cause === undefined ? {} : { cause },
  );
}

export function pdfEncrypted(name: string, cause?: unknown): NodeError {
  return new NodeError(
    "PDF_ENCRYPTED",
    `${name} opens only with a password. Save it without one.`,
    cause === undefined ? {} : { cause },
  );
}

/** A document above the size of files that are read whole, whose streams cannot be left in the store. */
export function pdfHasLargeObjects(name: string): NodeError {
  return new NodeError(
    "FILE_TOO_LARGE",
    `${name} has more than ${LIMITS.merged_outline.value} bytes beside its long streams. Save it with compressed objects, or split it.`,
  );
}

export function pdfTooLarge(reason: string): NodeError {
  return new NodeError("PDF_TOO_LARGE", `The PDF would have ${reason}. Merge fewer documents.`);
}

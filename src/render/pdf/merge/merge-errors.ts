import { NodeError } from "../../../lib/errors/node-error.ts";

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

export function pdfTooLarge(reason: string): NodeError {
  return new NodeError("PDF_TOO_LARGE", `The PDF would have ${reason}. Merge fewer documents.`);
}

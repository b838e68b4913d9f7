import type { FormDigest } from "./form-digest.ts";
import { FormError } from "./form-error.ts";
import { FormStream, type ReadBytes } from "./form-stream.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

const FIELDS_MAX = LIMITS.form_extra_fields.value;
const FIELDS_BYTES_MAX = LIMITS.form_extra_bytes.value;
/** RFC 2046 §5.1.1. */
const BOUNDARY = /^[\w'()+,./:=? -]{1,70}$/;

export interface FormFile {
  /** As sent by the client: untrusted. */
  readonly name: string;
  /**
   * The file's bytes in pieces. Ends at the boundary; throws FormError if the form is cut short.
   */
  readonly bytes: AsyncGenerator<Uint8Array, void>;
}

/** The boundary of a `multipart/form-data` content type; undefined for another type. Throws FormError. */
export function formBoundary(contentType: string | null): string | undefined {
  const match = /^multipart\/form-data\s*(?:;(.*))?$/is.exec(contentType ?? "");
  if (match === null) {
    return undefined;
  }
  const given = /;\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(`;${match[1] ?? ""}`);
  const boundary = given?.[1] ?? given?.[2] ?? "";
  if (!BOUNDARY.test(boundary) || boundary.endsWith(" ")) {
    throw new FormError(
      "The Content-Type has no usable boundary. Leave the header to your HTTP client: it writes multipart/form-data; boundary=… and the same boundary in the body.",
    );
  }
  return boundary;
}

/**
 * Reads a `multipart/form-data` body as a stream (RFC 7578) up to its one file, in the field
 * `fieldName`; other fields before it are skipped. Holds at most one piece and one boundary in
 * memory. Returns undefined if the form does not have the file. Throws FormError if the form is
 * malformed.
 */
export async function readFormFile(
  read: ReadBytes,
  boundary: string,
  fieldName: string,
  digest?: FormDigest,
): Promise<FormFile | undefined> {
  const form = new FormStream(read, boundary, digest);
  await form.start();
  let fieldBytes = 0;
  for (let fields = 0; fields <= FIELDS_MAX; fields++) {
    const part = await form.nextPart();
    if (part === undefined) {
      return undefined;
    }
    const { field, fileName } = part;
    if (field === fieldName && fileName !== undefined) {
      return { name: fileName, bytes: fileBytes(form) };
    }
    for await (const piece of form.partBytes()) {
      fieldBytes += piece.byteLength;
      if (fieldBytes > FIELDS_BYTES_MAX) {
        throw new FormError(
          `The fields before the file hold more than ${FIELDS_BYTES_MAX} bytes. Send the file in the field "${fieldName}", and nothing else.`,
        );
      }
    }
  }
  throw new FormError(`The form has more than ${FIELDS_MAX} fields before the file.`);
}

/**
 * The file, and then the end of the form: a second file, or a form that is cut short, is rejected.
 */
async function* fileBytes(form: FormStream): AsyncGenerator<Uint8Array, void> {
  yield* form.partBytes();
  if ((await form.nextPart()) !== undefined) {
    throw new FormError(
      "The form has further fields after the file. Send one file per request, as the last field.",
    );
  }
}

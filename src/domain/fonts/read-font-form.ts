import type { FormDigest } from "../../formats/form-digest.ts";
import { FormError } from "../../formats/form-error.ts";
import { formBoundary } from "../../formats/form-file-reader.ts";
import { FormStream, type ReadBytes } from "../../formats/form-stream.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { FontUpload } from "./font-upload.ts";
import { isLicenseRefused, licenseRequired } from "./parse-font-fields.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const FILES = "files";
const FIELDS = new Set([
  "displayName",
  "category",
  "licenseAcknowledged",
  "systemFallbackFamilyGuid",
]);
const FIELDS_MAX = LIMITS.form_extra_fields.value;
const FIELDS_BYTES_MAX = LIMITS.form_extra_bytes.value;

export interface IncomingFontForm {
  readonly contentType: string | null;
  readonly read: ReadBytes;
}

/**
 * Reads the form of an upload to its end, its files into `upload` as they arrive, in any order with
 * the fields; returns the fields. Throws `unsupported_media_type`, `invalid_request` (a form that
 * is malformed or cut short), `validation_error`, and the errors of FontUpload.
 */
export async function readFontForm(
  form: IncomingFontForm,
  upload: FontUpload,
  digest?: FormDigest,
): Promise<ReadonlyMap<string, string>> {
  try {
    const boundary = formBoundary(form.contentType);
    if (boundary === undefined) {
      throw new AppError(
        "unsupported_media_type",
        `This route accepts a form, and the request has Content-Type: ${form.contentType?.slice(0, 100) ?? "(none)"}. Send multipart/form-data with each font file in the field "${FILES}".`,
      );
    }
    return await readParts(new FormStream(form.read, boundary, digest), upload);
  } catch (error) {
    throw error instanceof FormError ? new AppError("invalid_request", error.message) : error;
  }
}

async function readParts(
  stream: FormStream,
  upload: FontUpload,
): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  let fieldCount = 0;
  let fieldBytes = 0;
  await stream.start();
  for (;;) {
    const part = await stream.nextPart();
    if (part === undefined) {
      return fields;
    }
    const { field = "", fileName } = part;
    if (field === FILES && fileName !== undefined) {
      if (isLicenseRefused(fields)) {
        throw licenseRequired();
      }
      await upload.add(fileName, stream.partBytes());
      continue;
    }
    if (field === FILES || fileName !== undefined) {
      throw wrongField(field, fileName !== undefined);
    }
    fieldCount += 1;
    const pieces: Uint8Array[] = [];
    for await (const piece of stream.partBytes()) {
      fieldBytes += piece.byteLength;
      if (fieldBytes > FIELDS_BYTES_MAX) {
        throw new FormError(
          `The form's fields other than files have more than ${FIELDS_BYTES_MAX} bytes.`,
        );
      }
      pieces.push(piece.slice());
    }
    if (fieldCount > FIELDS_MAX) {
      throw new FormError(`The form has more than ${FIELDS_MAX} fields other than files.`);
    }
    if (fields.has(field)) {
      const message = "Was sent twice. Send it once.";
      throw new AppError("validation_error", `${field}: ${message}`, {
        errors: [{ field, message }],
      });
    }
    if (FIELDS.has(field)) {
      fields.set(field, textOf(pieces, field));
    }
  }
}

function wrongField(field: string, isFile: boolean): AppError {
  const shown = field.slice(0, 100).toWellFormed();
  const message = isFile
    ? `Contains a file. Send each font file in a field "${FILES}".`
    : "Was sent as text. Send each font as a file, with its file name.";
  return new AppError("validation_error", `${shown}: ${message}`, {
    errors: [{ field: shown, message }],
  });
}

function textOf(pieces: readonly Uint8Array[], field: string): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  try {
    return (
      pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode()
    );
  } catch {
    throw new FormError(`The field ${field} is not UTF-8.`);
  }
}

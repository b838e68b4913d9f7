import { AppError } from "../../lib/errors/errors.ts";
import { readCapped } from "../read-json-body.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const FORM_MAX_BYTES = LIMITS.form_fields.value;
const FORM_TYPES = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

/**
 * Returns the text fields of a small form; empty if the body is missing or not a form, so that the caller can name the
 * missing field. Throws `payload_too_large`, `invalid_request`.
 */
export async function readFormFields(request: Request): Promise<Map<string, string>> {
  const type = request.headers.get("content-type") ?? "";
  const fields = new Map<string, string>();
  if (request.body === null || !FORM_TYPES.test(type)) {
    return fields;
  }
  const bytes = await readCapped(request, FORM_MAX_BYTES);
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw new AppError("invalid_request", "The body is not a well-formed form.");
  }
  for (const [name, value] of form) {
    if (fields.has(name)) {
      throw new AppError(
        "invalid_request",
        `The form field "${name.slice(0, 60)}" is given twice (RFC 6749 §3.2).`,
      );
    }
    if (typeof value === "string") {
      fields.set(name, value);
    }
  }
  return fields;
}

import { issueText } from "../../lib/errors/issue-text.ts";
import { FontCategory } from "../../contracts/files/font.ts";
import { Name } from "../../contracts/name.ts";
import { AppError, type FieldError } from "../../lib/errors/errors.ts";
import { HIDDEN_CHARACTERS } from "../../lib/hidden-characters.ts";
import { tryParseGuid } from "../../platform/guid.ts";
import type { FamilyFields } from "../../storage/d1/font-rows.ts";
import { findSystemFamily } from "./find-system-family.ts";

const DisplayName = Name.refine(
  (text) => text.search(HIDDEN_CHARACTERS) === -1,
  "Must not contain invisible characters, for example characters that change the direction of writing",
);

/**
 * Parses the family's fields in the form and reports every problem at once. Throws
 * `validation_error`, `invalid_id` for a malformed fallback,
 * `FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED`.
 */
export function parseFontFields(fields: ReadonlyMap<string, string>): FamilyFields {
  const errors: FieldError[] = [];
  const displayName = DisplayName.safeParse(fields.get("displayName") ?? "", {
    error: issueText,
  });
  if (!displayName.success) {
    const message = displayName.error.issues[0]?.message ?? "";
    errors.push({ field: "displayName", message: `${message}. Send 1 to 200 characters.` });
  }
  const category = FontCategory.safeParse(fields.get("category"));
  if (!category.success) {
    errors.push({
      field: "category",
      message: `Must be one of ${FontCategory.options.join(", ")}.`,
    });
  }
  const fallbackId = fallbackOf(fields.get("systemFallbackFamilyGuid"), errors);
  if (!displayName.success || !category.success || errors.length > 0) {
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : "";
    throw new AppError(
      "validation_error",
      `${errors[0]?.field ?? ""}: ${errors[0]?.message ?? ""}${more}`,
      { errors },
    );
  }
  if (!fields.has("licenseAcknowledged") || isLicenseRefused(fields)) {
    throw licenseRequired();
  }
  return {
    // The same text for names that look the same.
    displayName: displayName.data.normalize("NFC"),
    category: category.data,
    fallbackId,
  };
}

/** Whether the field is present with any value other than true. */
export function isLicenseRefused(fields: ReadonlyMap<string, string>): boolean {
  const given = fields.get("licenseAcknowledged");
  return given !== undefined && given.trim().toLowerCase() !== "true";
}

export function licenseRequired(): AppError {
  return new AppError(
    "FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED",
    "Fonts are accepted only with a license. If you hold the license, send licenseAcknowledged as true.",
  );
}

function fallbackOf(given: string | undefined, errors: FieldError[]): string | null | undefined {
  const text = given?.trim();
  if (text === undefined || text === "") {
    return text === undefined ? undefined : null;
  }
  const guid = tryParseGuid(text);
  if (guid === undefined) {
    throw new AppError(
      "invalid_id",
      `systemFallbackFamilyGuid: "${text.slice(0, 80).toWellFormed()}" is not a GUID of a font family. Send it exactly as GET /api/v1/fonts?scope=system returned it.`,
    );
  }
  if (findSystemFamily(guid) === undefined) {
    errors.push({
      field: "systemFallbackFamilyGuid",
      message: `${guid} is not a system font family. GET /api/v1/fonts?scope=system lists them.`,
    });
  }
  return guid;
}

import { AppError } from "../../lib/errors/errors.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { CallerContext } from "../../platform/context.ts";
import { applyEdit, type EditRefusal, refusedPlace } from "../../templates/edits/apply-edit.ts";
import type { EditCommand } from "../../templates/edits/edit-command.ts";
import { changeDraft, type DraftAnswer, type DraftWrite } from "./change-draft.ts";
import { contentInvalid } from "./prepare-document.ts";

/** The name under which a response has what was made or changed. */
export type EntryName = "page" | "master" | "element" | "sample_set";

/**
 * Applies one edit command to the draft (docs/contract/templates.md#edits). Throws what a draft write throws,
 * `page_not_found`, `master_not_found`, `sample_set_not_found`, `validation_error` for a parent that holds no elements.
 */
export async function editDraft(
  ctx: CallerContext,
  id: string,
  write: DraftWrite,
  { name, command }: { readonly name: EntryName; readonly command: EditCommand },
): Promise<DraftAnswer> {
  return await changeDraft(ctx, id, write, (document) => {
    const { document: edited, entry } = applied(document, command);
    return command.kind === "remove"
      ? { document: edited, status: 204, body: null }
      : {
          document: edited,
          status: command.kind.startsWith("create") ? 201 : 200,
          body: { [name]: entry },
        };
  });
}

/** The document after a command, and what it made or changed. Throws as `editDraft`. */
export function applied(document: JsonValue, command: EditCommand) {
  const result = applyEdit(document, command, () => crypto.randomUUID());
  if (result.ok) {
    return result;
  }
  throw problemOf(result);
}

/** Throws as `editDraft` if the document has no such page or parent to put an element in. */
export function requirePlace(
  document: JsonValue,
  { pageId, parentId }: { readonly pageId: string; readonly parentId: string | null },
): void {
  const refused = refusedPlace(document, pageId, parentId);
  if (refused !== undefined) {
    throw problemOf(refused);
  }
}

function problemOf(refused: EditRefusal): AppError {
  switch (refused.kind) {
    case "missing":
      return new AppError(refused.code, refused.message);
    case "envelope":
      return new AppError("validation_error", `${refused.field}: ${refused.message}`, {
        errors: [{ field: refused.field, message: refused.message }],
      });
    case "invalid":
      return contentInvalid(refused.problems);
  }
}

import type { SvgImportBody } from "../../contracts/templates/design-template.ts";
import type { ImportedSvg, SvgProblem } from "../../contracts/templates/renderer.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { isJsonObject, parseJson } from "../../lib/json/exact-json.ts";
import { jsonMemory } from "../../lib/json/json-memory.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { askRenderer } from "../../platform/ask-renderer.ts";
import type { CallerContext } from "../../platform/context.ts";
import { changeDraft, type DraftAnswer, type DraftWrite } from "./change-draft.ts";
import { applied, requirePlace } from "./edit-draft.ts";

const BYTES_MAX = LIMITS.svg_import.value;

/**
 * Adds an element made of a drawing to the draft (docs/contract/templates.md#svg-import). Throws what an edit throws, and
 * the codes `svg_import_*`.
 */
export async function addDrawing(
  ctx: CallerContext,
  id: string,
  write: DraftWrite,
  request: SvgImportBody,
): Promise<DraftAnswer> {
  let converted: Promise<ImportedSvg> | undefined;
  const { page_id: pageId, parent_id: parentId = null } = request;
  return await changeDraft(ctx, id, write, async (document) => {
    // Before the drawing is read: what is missing is refused first.
    requirePlace(document, { pageId, parentId });
    // A write that is made again on a newer draft imports the same drawing.
    converted ??= convert(ctx, request);
    const { element, objects, notes } = await converted;
    const properties = parseJson(element);
    const { document: edited, entry } = applied(document, {
      kind: "insert_element",
      pageId,
      parentId,
      element: isJsonObject(properties) ? properties : {},
    });
    const report = { objects, notes: notes.map(({ field, message }) => ({ field, message })) };
    return { document: edited, status: 201, body: { element: entry, report } };
  });
}

async function convert(ctx: CallerContext, request: SvgImportBody): Promise<ImportedSvg> {
  const { svg, mode, name, left, top, width, height } = request;
  if (Buffer.byteLength(svg) > BYTES_MAX) {
    throw refusal([
      {
        field: "svg",
        code: "svg_import_too_large",
        message: `The drawing has more than ${BYTES_MAX} bytes. Simplify its paths.`,
      },
    ]);
  }
  const made = await askRenderer(ctx.env, (renderer) =>
    renderer.importSvg({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      svg,
      mode,
      name: name ?? null,
      left,
      top,
      width: width ?? null,
      height: height ?? null,
    }),
  );
  if (!made.ok) {
    throw refusal(made.errors);
  }
  await ctx.memory.take(made.element.length + jsonMemory(made.element));
  return made;
}

function refusal(errors: readonly SvgProblem[]): AppError {
  const [first] = errors;
  if (first === undefined) {
    throw new Error("The renderer refused a drawing without a reason.");
  }
  return new AppError(first.code, `${first.field}: ${first.message}`, {
    errors: errors.map(({ field, code, message }) => ({ field, code, message })),
  });
}

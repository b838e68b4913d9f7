import type { PaletteReplacementBody } from "../../contracts/templates/design-template.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { askRenderer } from "../../platform/ask-renderer.ts";
import type { CallerContext } from "../../platform/context.ts";
import { findElement, valueAt } from "../../templates/edits/element-places.ts";
import { changeDraft, type DraftAnswer, type DraftWrite, parseContent } from "./change-draft.ts";
import { applied } from "./edit-draft.ts";
import { readDraft } from "./read-content.ts";

/** A color of a drawing, the color that prints in its place, and how often it is used. */
interface PaletteEntry {
  readonly source_color: string;
  readonly current_color: string;
  readonly use_count: number;
}

export interface Palette {
  readonly draft_etag: string;
  readonly element_id: string;
  readonly colors: readonly PaletteEntry[];
}

interface Artwork {
  /** In the document's own letter case, as other responses have it. */
  readonly id: string;
  readonly svg: string;
  /** In lower case. */
  readonly replacements: ReadonlyMap<string, string>;
}

/**
 * The palette of an `svg_artwork` of the draft (docs/contract/templates.md#palette). Throws `not_found`, `forbidden`,
 * `invalid_argument` for another element or a drawing that does not print.
 */
export async function readPalette(
  ctx: CallerContext,
  id: string,
  elementId: string,
): Promise<Palette> {
  const { record, content } = await readDraft(ctx, id, null);
  const document = await parseContent(ctx, content ?? new Uint8Array());
  const artwork = artworkOf(document, elementId);
  const colors = await colorsOf(ctx, artwork.svg);
  return {
    draft_etag: draftEtag(record),
    element_id: artwork.id,
    colors: withReplacements(colors, artwork.replacements),
  };
}

/** Replaces or resets one color of an `svg_artwork`, or resets all. Throws as `readPalette`, and what an edit throws. */
export async function replaceColors(
  ctx: CallerContext,
  id: string,
  elementId: string,
  write: DraftWrite,
  change: PaletteReplacementBody,
): Promise<DraftAnswer> {
  let counted: { readonly svg: string; readonly colors: ReturnType<typeof colorsOf> } | undefined;
  return await changeDraft(ctx, id, write, async (document) => {
    const artwork = artworkOf(document, elementId);
    const { svg, replacements } = artwork;
    counted = counted?.svg === svg ? counted : { svg, colors: colorsOf(ctx, svg) };
    const colors = await counted.colors;
    const changed = replaced(replacements, change);
    if ("source_color" in change) {
      const source = change.source_color.toLowerCase();
      if (!colors.some(({ color }) => color === source)) {
        const message = `The drawing does not use ${source}. Send a source_color of its palette.`;
        throw new AppError("invalid_argument", `source_color: ${message}`, {
          errors: [{ field: "source_color", message }],
        });
      }
    }
    const { document: edited } = applied(document, {
      kind: "change_element",
      id: elementId,
      properties: { replacements: changed.size === 0 ? null : Object.fromEntries(changed) },
    });
    const palette = withReplacements(colors, changed).map((entry) => ({ ...entry }));
    return { document: edited, status: 200, body: { element_id: artwork.id, colors: palette } };
  });
}

function replaced(
  before: Artwork["replacements"],
  change: PaletteReplacementBody,
): Map<string, string> {
  if (!("source_color" in change)) {
    return new Map();
  }
  const after = new Map(before);
  const [source, target] = [
    change.source_color.toLowerCase(),
    change.target_color?.toLowerCase() ?? null,
  ];
  if (target === null || target === source) {
    after.delete(source);
  } else {
    after.set(source, target);
  }
  return after;
}

function withReplacements(
  colors: Awaited<ReturnType<typeof colorsOf>>,
  replacements: Artwork["replacements"],
): PaletteEntry[] {
  return colors.map(({ color, use_count }) => ({
    source_color: color,
    current_color: replacements.get(color) ?? color,
    use_count,
  }));
}

async function colorsOf(ctx: CallerContext, svg: string) {
  const { colors } = await askRenderer(ctx.env, (renderer) =>
    renderer.readSvgPalette({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      svg,
    }),
  );
  if (colors === null) {
    throw new AppError(
      "invalid_argument",
      "The drawing of the element does not print, and so has no palette. Import it again.",
    );
  }
  return colors;
}

function artworkOf(document: JsonValue, elementId: string): Artwork {
  const way = findElement(document, elementId);
  const element = way === undefined ? undefined : valueAt(document, way);
  if (!isJsonObject(element)) {
    throw new AppError("not_found", `The draft has no element with the id ${elementId}.`);
  }
  const { $type, id, svg, replacements } = element;
  if ($type !== "svg_artwork" || typeof svg !== "string") {
    throw new AppError(
      "invalid_argument",
      `The element ${elementId} is not an svg_artwork. Only drawings have a palette.`,
    );
  }
  const pairs = Object.entries(
    replacements !== undefined && isJsonObject(replacements) ? replacements : {},
  ).map(
    ([from, to]) => [from.toLowerCase(), typeof to === "string" ? to.toLowerCase() : from] as const,
  );
  return { id: typeof id === "string" ? id : elementId, svg, replacements: new Map(pairs) };
}

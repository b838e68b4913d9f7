import type { FontPin } from "../../contracts/templates/renderer.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import type { ReferenceContext } from "./reference-context.ts";

/** Prints a text that names no family; a workspace may have a family of its own with this name. */
const DEFAULT_FAMILY = "Noto Sans";
/** As the renderer reads it: a family of which the document names a file, so that only its fallback counts. */
const PIN_OF_FILES = "";

/**
 * Returns the workspace's font families that the JSON of a draft names, with their current revisions. A run keeps them, so that
 * all of its elements print with the same fonts, and a result is known by the fonts that made it.
 */
export async function draftFontPins(
  ctx: ReferenceContext,
  content: Uint8Array,
): Promise<readonly FontPin[]> {
  const names = new Set([DEFAULT_FAMILY]);
  const guids = new Set<string>();
  JSON.parse(new TextDecoder().decode(content), (key, value: unknown) => {
    if (typeof value === "string") {
      if (key === "fontFamily") {
        names.add(value);
      } else if (key === "familyGuid") {
        guids.add(value);
      }
    } else if (key === "fallbackFonts" && Array.isArray(value)) {
      value.forEach((name) => names.add(String(name)));
    }
    return value;
  });
  const store = new FontStore(ctx.env, ctx.principal.workspaceId);
  const folded = [...names].map(foldCase);
  const [active, filed] = await Promise.all([
    store.findAllActive(folded),
    guids.size === 0 ? [] : store.load([...guids]),
  ]);
  return [
    ...[...names].flatMap((name) => {
      const family = active.get(foldCase(name));
      return family === undefined ? [] : [pinOf(name, family)];
    }),
    ...filed.map((family) => pinOf(PIN_OF_FILES, family)),
  ];
}

function pinOf(
  name: string,
  family: { readonly id: string; readonly version_id: string; readonly fallback_id: string | null },
): FontPin {
  const { id: family_guid, version_id: version_guid, fallback_id: fallback_guid } = family;
  return { name, family_guid, version_guid, fallback_guid };
}

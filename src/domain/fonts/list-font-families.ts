import type {
  FontCategory,
  FontFamily,
  FontFamilyList,
  FontScope,
} from "../../contracts/files/font.ts";
import type { CallerContext } from "../../platform/context.ts";
import { tryParseGuid } from "../../platform/guid.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import type { FontFilter } from "../../storage/d1/font-rows.ts";
import { describeFontFamily, describeSystemFamily } from "./describe-font-family.ts";
import { findSystemFamily } from "./find-system-family.ts";
import { SYSTEM_FAMILIES } from "./system-families.ts";
import { badCursor, pageOf } from "../list-page.ts";

export interface ListFontFamilies {
  readonly limit: number;
  /** The GUID of the previous page's last family. */
  readonly startingAfter: string | undefined;
  readonly query: string | undefined;
  readonly category: FontCategory | undefined;
  readonly scope: FontScope | undefined;
}

/**
 * A page of the families available to the workspace, the system's and its own together, by display
 * name ignoring case. Stable while families are added and archived. Throws `invalid_request` for an
 * unknown cursor.
 */
export async function listFontFamilies(
  ctx: CallerContext,
  given: ListFontFamilies,
): Promise<FontFamilyList> {
  const store = new FontStore(ctx.env, ctx.principal.workspaceId);
  const { found, total } = await store.list(
    {
      query: given.query ?? null,
      category: given.category ?? null,
      scope: given.scope ?? null,
      after: await cursorOf(store, given.startingAfter),
      // One item more than the page shows whether there is another page.
      limit: given.limit + 1,
    },
    SYSTEM_FAMILIES.map(({ familyGuid, ...family }) => ({ ...family, id: familyGuid })),
  );
  const idOf = ({ id }: { readonly id: string }) => id;
  const page = pageOf({ rows: found, total }, given.limit, idOf, idOf);
  return { ...page, data: await describe(ctx, store, page.data) };
}

async function describe(
  ctx: CallerContext,
  store: FontStore,
  ids: readonly string[],
): Promise<FontFamily[]> {
  const rows = await store.load(ids.filter((id) => findSystemFamily(id) === undefined));
  const files = Map.groupBy(
    await store.filesOf(rows.map(({ version_id }) => version_id)),
    ({ version_id }) => version_id,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const system = findSystemFamily(id);
    const row = byId.get(id);
    if (system !== undefined) {
      return [describeSystemFamily(ctx, system)];
    }
    return row === undefined ? [] : [describeFontFamily(ctx, row, files.get(row.version_id) ?? [])];
  });
}

async function cursorOf(
  store: FontStore,
  startingAfter: string | undefined,
): Promise<FontFilter["after"]> {
  if (startingAfter === undefined) {
    return null;
  }
  const guid = tryParseGuid(startingAfter);
  const system = guid === undefined ? undefined : findSystemFamily(guid);
  if (system !== undefined) {
    return { id: system.familyGuid, displayName: system.displayName };
  }
  const row = guid === undefined ? undefined : await store.find(guid);
  if (row === undefined || row === "elsewhere") {
    throw badCursor(startingAfter, "a font family of this workspace");
  }
  return { id: row.id, displayName: row.display_name };
}

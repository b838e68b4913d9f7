import type { ColorProfileList } from "../../contracts/templates/color-profile.ts";
import type { CallerContext } from "../../platform/context.ts";
import { tryParseGuid } from "../../platform/guid.ts";
import { ColorProfileStore } from "../../storage/d1/color-profile-store.ts";
import { describeColorProfile } from "./describe-color-profile.ts";
import { badCursor, pageOf } from "../list-page.ts";

/** A page of profiles, newest first. Throws `invalid_request` for an unknown cursor. */
export async function listColorProfiles(
  ctx: CallerContext,
  limit: number,
  startingAfter: string | undefined,
): Promise<ColorProfileList> {
  const store = new ColorProfileStore(ctx.env, ctx.principal.workspaceId);
  // One item more than the page shows whether there is another page.
  const { rows, total } = await store.list(await seqAfter(store, startingAfter), limit + 1);
  return pageOf(
    { rows, total },
    limit,
    (row) => describeColorProfile(row),
    ({ guid }) => guid,
  );
}

async function seqAfter(
  store: ColorProfileStore,
  given: string | undefined,
): Promise<number | null> {
  if (given === undefined) {
    return null;
  }
  const guid = tryParseGuid(given);
  const seq = guid === undefined ? undefined : await store.seqOf(guid);
  if (seq === undefined) {
    throw badCursor(given, "a color profile of this workspace");
  }
  return seq;
}

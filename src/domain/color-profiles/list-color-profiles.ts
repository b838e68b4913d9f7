import type { ColorProfileList } from "../../contracts/color-profile.ts";
import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { tryParseGuid } from "../../platform/guid.ts";
import { ColorProfileStore } from "../../storage/d1/color-profile-store.ts";
import { describeColorProfile } from "./describe-color-profile.ts";

/** A page of profiles, newest first. Throws `invalid_request` for an unknown cursor. */
export async function listColorProfiles(
  ctx: CallerContext,
  limit: number,
  startingAfter: string | undefined,
): Promise<ColorProfileList> {
  const store = new ColorProfileStore(ctx.env, ctx.principal.workspaceId);
  // One item more than the page shows whether there is another page.
  const { rows, total } = await store.list(await seqAfter(store, startingAfter), limit + 1);
  const page = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    data: page.map((row) => describeColorProfile(row)),
    has_more: hasMore,
    next_cursor: hasMore ? (page.at(-1)?.guid ?? null) : null,
    total_count: total,
  };
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
    throw new AppError(
      "invalid_request",
      `starting_after "${given.slice(0, 80).toWellFormed()}" is not a color profile of this workspace. Send next_cursor of the previous page, as it was returned.`,
    );
  }
  return seq;
}

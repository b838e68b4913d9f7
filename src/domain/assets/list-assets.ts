import type { AssetList } from "../../contracts/files/asset.ts";
import type { CallerContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { assetResponse } from "./asset-response.ts";
import { badCursor, pageOf } from "../list-page.ts";

export interface ListAssets {
  readonly limit: number;
  /** The path of the previous page's last item. */
  readonly startingAfter: string | undefined;
  readonly prefix: string | undefined;
  readonly name: string | undefined;
}

/** A page of assets, newest first; stable while files are added. Throws `invalid_request` for an unknown cursor. */
export async function listAssets(ctx: CallerContext, given: ListAssets): Promise<AssetList> {
  const store = new AssetStore(ctx.env, ctx.principal.workspaceId);
  const { rows, total } = await store.list({
    prefix: given.prefix ?? null,
    name: given.name ?? null,
    belowSeq: await seqAfter(store, given.startingAfter),
    // One item more than the page shows whether there is another page.
    limit: given.limit + 1,
  });
  return pageOf(
    { rows, total },
    given.limit,
    (row) => ({
      ...assetResponse(row),
      created_at: new Date(row.created_at_ms).toISOString(),
    }),
    ({ path }) => path,
  );
}

async function seqAfter(store: AssetStore, path: string | undefined): Promise<number | null> {
  if (path === undefined) {
    return null;
  }
  const seq = await store.seqOf(path);
  if (seq === undefined) {
    throw badCursor(path, "an asset of this workspace", 200);
  }
  return seq;
}

import { AppError } from "../../lib/errors/errors.ts";
import type { Databases } from "../../storage/d1/databases.ts";
import { AssetStore, type AssetRow } from "../../storage/d1/asset-store.ts";

/** Readers of a bundle's files: the API's, or the runner's. */
export interface BundleContext {
  readonly env: Databases & { readonly FILES: R2Bucket };
  readonly workspaceId: string;
}

/**
 * The stored assets of paths; each has the location in the request that refers to it. An asset of
 * another workspace is `forbidden`, before a missing one is `not_found`
 * (docs/contract/bundles.md#validate).
 */
export async function storedAssets(
  ctx: BundleContext,
  wanted: readonly { readonly path: string; readonly field: string }[],
): Promise<ReadonlyMap<string, AssetRow>> {
  const paths = [...new Set(wanted.map(({ path }) => path))];
  const found = await new AssetStore(ctx.env, ctx.workspaceId).findMany(paths);
  const missing = wanted.filter(({ path }) => !found.has(path));
  const elsewhere = wanted.find(({ path }) => found.get(path) === "elsewhere");
  if (elsewhere !== undefined) {
    throw new AppError(
      "forbidden",
      `${elsewhere.field}: the asset "${shown(elsewhere.path)}" belongs to another workspace. Upload the file to this one.`,
    );
  }
  const [first] = missing;
  if (first !== undefined) {
    throw new AppError(
      "not_found",
      `${first.field}: there is no asset "${shown(first.path)}". Send the path as the upload returned it. Deleted assets cannot be restored.`,
    );
  }
  return found as ReadonlyMap<string, AssetRow>;
}

function shown(path: string): string {
  return path.slice(0, 200).toWellFormed();
}

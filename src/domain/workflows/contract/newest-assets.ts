import { ASSET_TYPES } from "../../../contracts/files/asset-types.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { AssetStore } from "../../../storage/d1/asset-store.ts";
import { isMediaKind } from "../../../contracts/media/media-kinds.ts";
import type { InputPart } from "./interface-parts.ts";

/** Further inputs get no examples of their own. */
const LOOKED_UP_MAX = 20;

/**
 * Path of the newest asset that each input accepts, by the input's node id
 * (docs/contract/workflows.md#execution-contract).
 */
export async function newestAssets(
  ctx: CallerContext,
  inputs: readonly InputPart[],
): Promise<ReadonlyMap<string, string>> {
  const store = new AssetStore(ctx.env, ctx.principal.workspaceId);
  // Inputs that also accept inline values have inline examples, which fit their columns.
  const filed = inputs
    .filter(({ type }) => type.files?.isOnly === true || isMediaKind(type.inputKind))
    .slice(0, LOOKED_UP_MAX);
  const found = await Promise.all(
    filed.map(async ({ nodeId, type }) => {
      const types = (type.files?.extensions ?? []).flatMap(
        (extension) => ASSET_TYPES.get(extension)?.contentType ?? [],
      );
      return [nodeId, await store.newestOf(types)] as const;
    }),
  );
  return new Map(
    found.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  );
}

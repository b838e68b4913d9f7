import { encodeValue } from "../../../engine/values.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { requireEmbedAsset } from "../../embeds/embed-uploads.ts";
import { type FindAsset, openAsset } from "../../assets/open-asset.ts";
import type { AssetInput, BoundInputs } from "./bind-inputs.ts";

/**
 * Looks up the stored files of a submit. The run receives exactly the current bytes: their ETag is
 * part of the reference. Throws `not_found`, `forbidden`, and `validation_error` for a file of a
 * kind that the input does not accept.
 */
export async function bindAssets(
  ctx: CallerContext,
  assets: readonly AssetInput[],
  find?: FindAsset,
): Promise<Pick<BoundInputs, "input_files">> {
  if (assets.length === 0) {
    return {};
  }
  const files = await Promise.all(assets.map((asset) => bindAsset(ctx, asset, find)));
  return { input_files: files };
}

async function bindAsset(ctx: CallerContext, given: AssetInput, find?: FindAsset) {
  const { nodeId, assetPath, field, extensions } = given;
  if (given.isDefault !== true) {
    await requireEmbedAsset(ctx, assetPath, field);
  }
  const asset = await openAsset(ctx, assetPath, field, find);
  const extension = /\.([^.]+)$/.exec(asset.name)?.[1]?.toLowerCase() ?? "";
  if (!extensions.includes(extension)) {
    const message = `"${asset.name}" is not a file that this input accepts. Accepted: ${extensions.join(", ")}.`;
    throw new AppError("validation_error", `${field}: ${message}`, {
      errors: [{ field, message }],
    });
  }
  return { node_id: nodeId, stored: encodeValue(asset.file) };
}

import { ASSET_TYPES, type AssetType, extensionOf } from "../../contracts/files/asset-types.ts";
import { assetSlug, cleanAssetName } from "../../formats/clean-asset-name.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { newFileToken } from "../../platform/file-token.ts";
import { newId } from "../../platform/ids.ts";

/**
 * The error code of a route for an extension that is not accepted (docs/contract/assets.md#fields).
 */
export type TypeCode = "invalid_file_type" | "unsupported_type";

export interface NamedAsset {
  readonly name: string;
  readonly extension: string;
  readonly type: AssetType;
}

/** A caller's file name, cleaned, with the type of its extension. Throws `code`. */
export function nameAsset(given: string, code: TypeCode): NamedAsset {
  const name = cleanAssetName(given);
  const extension = extensionOf(name);
  const type = ASSET_TYPES.get(extension);
  if (type === undefined) {
    const shown =
      name === "" ? "The file has no usable name" : `"${name.slice(0, 100).toWellFormed()}"`;
    const reason =
      extension === ""
        ? "has no extension"
        : `has the extension .${extension.slice(0, 20).toWellFormed()}, which is not accepted`;
    const isFont = /^(?:ttf|otf|ttc|otc|woff2?)$/.test(extension);
    const remedy = isFont
      ? "Fonts are uploaded as families: POST /api/v1/fonts"
      : `Send one of: ${[...ASSET_TYPES.keys()].join(", ")}`;
    throw new AppError(code, `${name === "" ? shown : `${shown} ${reason}`}. ${remedy}.`);
  }
  return { name, extension, type };
}

/** Location of a new asset: its public path, and its key in R2, which contains 256 random bits. */
export function placeAsset(
  workspaceId: string,
  { name, extension }: Pick<NamedAsset, "name" | "extension">,
  nowMs: number,
): { readonly path: string; readonly key: string } {
  const slug = assetSlug(name, extension);
  const id = newId("upload", nowMs).slice("upl_".length);
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    path: `assets/${day}/${id}/${slug}`,
    key: `${workspaceId}/assets/${newFileToken()}/${slug}`,
  };
}

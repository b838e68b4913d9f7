import type { ColorProfile, CreateColorProfile } from "../../contracts/templates/color-profile.ts";
import { readPressProfile } from "../../formats/icc/read-press-profile.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { sha256HexOfBytes } from "../../lib/sha256.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newGuid } from "../../platform/guid.ts";
import { ColorProfileStore } from "../../storage/d1/color-profile-store.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { putColorProfile } from "../../storage/r2/color-profile-files.ts";
import { getFile } from "../../storage/r2/get-file.ts";
import { type OpenAsset, openAsset } from "../assets/open-asset.ts";
import { describeColorProfile } from "./describe-color-profile.ts";

const BYTES_MAX = LIMITS.color_profile.value;

/**
 * Copies an ICC profile from an asset (docs/contract/templates.md#color-profiles). Throws `not_found` and `forbidden` for the
 * asset, and `invalid_content` if it is not the profile of a press.
 */
export async function createColorProfile(
  ctx: CallerContext,
  given: CreateColorProfile,
  once: OnceStatements | undefined,
): Promise<ColorProfile> {
  const asset = await openAsset(ctx, given.asset_path, "asset_path");
  if (asset.size_bytes > BYTES_MAX) {
    throw invalidContent(
      asset,
      `It has ${asset.size_bytes} bytes; a color profile has at most ${BYTES_MAX}`,
    );
  }
  const { workspaceId } = ctx.principal;
  const { space, ...stored } = await ctx.memory.use(asset.size_bytes, async () => {
    const bytes = await readAsset(ctx, asset);
    const read = readPressProfile(bytes);
    if ("problem" in read) {
      throw invalidContent(asset, read.problem);
    }
    const sha256 = await sha256HexOfBytes(bytes);
    const storage_key = await putColorProfile(ctx.env.FILES, workspaceId, bytes, sha256);
    return { space: read.space, sha256, size_bytes: bytes.byteLength, storage_key };
  });
  const row = {
    guid: newGuid(ctx.nowMs()),
    name: given.name,
    output_condition_identifier: given.output_condition_identifier,
    color_space: space,
    ...stored,
    created_at_ms: ctx.nowMs(),
  };
  await new ColorProfileStore(ctx.env, workspaceId).insert(row, once);
  return describeColorProfile(row);
}

async function readAsset(ctx: CallerContext, { path, file }: OpenAsset): Promise<Uint8Array> {
  if (file.content !== undefined) {
    return file.content.bytes;
  }
  const found = await getFile(ctx.env.FILES, file);
  if (found === null) {
    throw new AppError(
      "not_found",
      `asset_path: the bytes of "${path}" are no longer stored. Upload the profile again.`,
    );
  }
  return new Uint8Array(await found.arrayBuffer());
}

function invalidContent({ path }: OpenAsset, problem: string): AppError {
  return new AppError(
    "invalid_content",
    `asset_path: "${path}" is not a color profile that can be used. ${problem}.`,
  );
}

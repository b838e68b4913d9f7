import type { DatasetProfile, InspectRequest } from "../../contracts/dataset.ts";
import { DatasetError } from "../../datasets/dataset-error.ts";
import { profileDataset } from "../../datasets/profile/profile-dataset.ts";
import { SourceChangedError } from "../../lib/files/byte-source.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { CallerContext } from "../../platform/context.ts";
import { openFileSource } from "../../storage/r2/open-file-source.ts";
import { tableReadingBytes } from "./reading-memory.ts";
import { openAsset } from "../assets/open-asset.ts";

/**
 * The profile of a stored file as a table (docs/contract/datasets.md#reading-rules). Runs nothing
 * and costs nothing. Throws the dataset codes of docs/contract/problems.md#codes, `not_found`,
 * `forbidden`, `service_unavailable` if there is no memory for it in time, and `source_changed` if
 * the stored bytes are not those that were validated.
 */
export async function inspectDataset(
  ctx: CallerContext,
  request: InspectRequest,
): Promise<DatasetProfile> {
  const asset = await openAsset(ctx, request.asset_path, "asset_path");
  try {
    const source = await openFileSource(ctx.env.FILES, ctx.principal.workspaceId, asset.file);
    const { profile } = await ctx.memory.use(tableReadingBytes(asset.name, asset.size_bytes), () =>
      profileDataset(source, asset.name, {
        format: request.format,
        headerRow: request.header_row,
        locale: request.locale,
        sampleRows: request.sample_rows,
        maxRows: request.max_rows ?? null,
        delimiter: request.delimiter ?? null,
        table: request.table ?? null,
        formulaPolicy: request.formula_policy,
      }),
    );
    return profile;
  } catch (error) {
    if (error instanceof NodeError) {
      throw new AppError("not_found", `asset_path: ${error.message}`);
    }
    if (error instanceof DatasetError) {
      throw new AppError(error.code, error.message);
    }
    if (error instanceof SourceChangedError) {
      throw new AppError("source_changed", error.message);
    }
    throw error;
  }
}

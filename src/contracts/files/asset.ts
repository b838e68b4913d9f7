import * as z from "zod";
import { listOf } from "../list.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** 250 MB (docs/contract/assets.md#fields). */
export const ASSET_BYTES_MAX = LIMITS.file.value;

export const Asset = z
  .object({
    path: z.string().describe("The value to send as `asset_path`."),
    name: z.string().describe("Name of the file, as a download is saved."),
    content_type: z.string().describe("Media type of the file."),
    size_bytes: z.int().nonnegative().describe("Size of the stored file in bytes."),
  })
  .meta({ id: "Asset" });
export type Asset = z.infer<typeof Asset>;

export const AssetItem = Asset.extend({
  created_at: z.iso.datetime().describe("When the file was stored."),
}).meta({ id: "AssetItem" });
export type AssetItem = z.infer<typeof AssetItem>;

export const AssetList = listOf(AssetItem).meta({ id: "AssetList" });
export type AssetList = z.infer<typeof AssetList>;

export const AssetDownload = z
  .object({
    url: z.string().describe("Needs no token. Takes Range, If-None-Match and HEAD."),
    expires_at: z.iso
      .datetime()
      .nullable()
      .describe("Until when the address can be used; null where addresses do not expire."),
  })
  .meta({ id: "AssetDownload" });
export type AssetDownload = z.infer<typeof AssetDownload>;

import { foldCase } from "../../lib/fold-case.ts";

/** What is known of an asset when its row is inserted. */
export interface InsertedAsset {
  readonly path: string;
  readonly key: string;
  readonly name: string;
  readonly contentType: string;
  readonly kind: string;
  readonly sizeBytes: number;
  readonly nowMs: number;
}

/** Columns for the values of `insertedAsset`, which are bound from `?1` (the workspace) to `?9`. */
export const INSERTED_ASSET =
  "workspace_id, path, key, name, name_folded, content_type, kind, size_bytes, created_at_ms";

export function insertedAsset(workspaceId: string, asset: InsertedAsset): (string | number)[] {
  return [
    workspaceId,
    asset.path,
    asset.key,
    asset.name,
    foldCase(asset.name),
    asset.contentType,
    asset.kind,
    asset.sizeBytes,
    asset.nowMs,
  ];
}

import type { Asset } from "../../contracts/asset.ts";

/** What callers see of a stored asset (docs/contract/assets.md#fields). */
export function assetResponse(row: {
  readonly path: string;
  readonly name: string;
  readonly content_type: string;
  readonly size_bytes: number;
}): Asset {
  const { path, name, content_type, size_bytes } = row;
  return { path, name, content_type, size_bytes };
}

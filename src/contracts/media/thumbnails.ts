/** The runner's service that makes thumbnails (docs/contract/results.md#thumbnails), called by the API Worker. */

export interface ThumbnailRequest {
  readonly v: 1;
  readonly workspace_id: string;
  /** The path of an output or an asset, as in its address. */
  readonly key: string;
}

/**
 * `made`: the thumbnail is stored at `thumbnailKey(key)`. `own`: the file is small enough to be its own thumbnail. `none`:
 * there is no such file, or it cannot be drawn.
 */
export type ThumbnailResult = "made" | "own" | "none";

export interface ThumbnailsApi {
  /** Rejects if the file store does not respond. */
  make(request: ThumbnailRequest): Promise<ThumbnailResult>;
}

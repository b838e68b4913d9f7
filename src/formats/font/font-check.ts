import type { FontErrorCode } from "./font-error.ts";
import type { FontMetadata } from "./font-metadata.ts";

/**
 * What the API Worker asks of the runner: `env.FONT_CHECKER.check(request)`.
 *
 * The upload is streamed to R2 first, under a key of its workspace, and only the key travels: the
 * API's isolate never holds a font's 20 MB, and the runner reads it once. The runner does the whole
 * judgement (`inspectFont`, then HarfBuzz on every glyph), one font at a time in an isolate. The
 * caller deletes the staged object when the font is refused.
 */
export interface FontCheckRequest {
  readonly v: 1;
  readonly workspaceId: string;
  /** Key in the bucket FILES; starts with `{workspaceId}/`. */
  readonly key: string;
}

export interface CheckedFont {
  readonly facts: FontMetadata;
  /** Hex, of the whole file. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * A refused font is an answer, and shaped so that `unwrap` makes an AppError of it. What is nobody's
 * font's fault (a key that is not there, a version that this runner does not know) rejects the call.
 */
export type FontCheckResponse =
  | { readonly ok: true; readonly value: CheckedFont }
  | { readonly ok: false; readonly code: FontErrorCode; readonly message: string };

/** The runner's entry point FontChecker, as the API Worker sees it through its binding. */
export interface FontCheckerApi {
  check(request: FontCheckRequest): Promise<FontCheckResponse>;
}

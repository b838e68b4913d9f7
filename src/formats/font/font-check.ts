import type { FontErrorCode } from "./font-error.ts";
import type { FontMetadata } from "./font-metadata.ts";

/**
 * The font check of the runner, called by the API Worker: `env.FONT_CHECKER.check(request)`.
 *
 * The upload is first streamed to R2, under a key of its workspace, and only the key is sent: the
 * API's isolate never holds the 20 MB of a font, and the runner reads the file once. The runner
 * does the complete check (`inspectFont`, then HarfBuzz on every glyph), one font at a time in an
 * isolate. The caller deletes the staged object if the font is rejected.
 */
export interface FontCheckRequest {
  readonly v: 1;
  readonly workspaceId: string;
  /** Key in the bucket FILES; starts with `{workspaceId}/`. */
  readonly key: string;
}

export interface CheckedFont {
  readonly facts: FontMetadata;
  /** SHA-256 of the whole file, in hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * A rejected font is a result, in the form that `unwrap` converts to an AppError. Faults that are
 * not the font's (a missing key, a version that this runner does not support) reject the call.
 */
export type FontCheckResponse =
  | { readonly ok: true; readonly value: CheckedFont }
  | { readonly ok: false; readonly code: FontErrorCode; readonly message: string };

/** The runner's entry point FontChecker, as bound to the API Worker. */
export interface FontCheckerApi {
  check(request: FontCheckRequest): Promise<FontCheckResponse>;
}

/** Reasons to reject a font file (docs/contract/fonts.md#refusals). */
export type FontErrorCode =
  | "FONT_INVALID"
  | "FONT_VARIABLE_UNSUPPORTED"
  | "FONT_WEB_FORMAT_UNSUPPORTED"
  | "FONT_COLLECTION_UNSUPPORTED";

/** A font that is rejected. The message is public: it states the problem and the fix. */
export class FontError extends Error {
  override readonly name = "FontError";
  readonly code: FontErrorCode;

  constructor(code: FontErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

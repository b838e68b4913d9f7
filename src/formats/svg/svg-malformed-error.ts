/** An SVG that cannot be cleaned. The message is public: the reason, as a sentence about the file. */
export class SvgMalformedError extends Error {
  override readonly name = "SvgMalformedError";
}

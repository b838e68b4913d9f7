import { svgError } from "./svg-error.ts";

/** An SVG file's text. Throws NodeError `SVG_UNDRAWABLE` when it is not UTF-8. */
export function decodeSvgText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw svgError("is not UTF-8. Save it as UTF-8.", cause);
  }
}

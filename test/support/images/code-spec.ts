import type { CodeSpec } from "../../../src/contracts/code-symbol.ts";

/** A plain black QR code on white, with the changes of a test. */
export function codeSpec(changes: Partial<CodeSpec> = {}): CodeSpec {
  return {
    symbology: "qr",
    text: "https://example.com/r/ABC123",
    size: 256,
    errorCorrection: "M",
    moduleShape: "square",
    eyeFrameShape: "square",
    eyeBallShape: "square",
    codeColor: [0, 0, 0],
    eyeColor: [0, 0, 0],
    backgroundColor: [255, 255, 255],
    logoBackground: "rounded",
    logoSizePercent: 22,
    humanReadableText: true,
    ...changes,
  };
}

export const SVG_LOGO = new TextEncoder().encode(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" rx="20" fill="#0a5"/><path d="M25 55l20 20 35-45" fill="none" stroke="#fff" stroke-width="12"/></svg>',
);

import { SvgMalformedError } from "./svg-malformed-error.ts";

/** Single-byte encodings that old programs write; all others are Unicode. */
const LEGACY = new Map([
  ["iso-8859-1", "windows-1252"],
  ["latin1", "windows-1252"],
  ["windows-1252", "windows-1252"],
  ["us-ascii", "windows-1252"],
  ["ascii", "windows-1252"],
  ["iso-8859-15", "iso-8859-15"],
]);

/**
 * The text of an XML file: UTF-8 or UTF-16 by its byte order mark, else in its declared encoding.
 */
export function decodeXml(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  try {
    // The declaration no longer applies, because the parser receives decoded text.
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new SvgMalformedError(`Its bytes are not ${encoding.toUpperCase()}. Save it as UTF-8.`);
  }
}

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) {
    return "utf-16le";
  }
  if (first === 0xfe && second === 0xff) {
    return "utf-16be";
  }
  let start = "";
  for (const byte of bytes.subarray(0, 200)) {
    start += String.fromCharCode(byte);
  }
  const declared = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/i.exec(start)?.[1];
  return LEGACY.get(declared?.toLowerCase() ?? "") ?? "utf-8";
}

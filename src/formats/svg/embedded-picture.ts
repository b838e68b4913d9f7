const DATA_URL =
  /^data:image\/(?:png|jpe?g|gif|webp)(?:;[\w-]+=[\w-]+)*;base64,([A-Za-z0-9+/=\s]*)$/i;
const BASE64_TO_LOOK_AT = 32;

/** First bytes of the picture formats that may be embedded. */
const SIGNATURES: readonly (readonly [offset: number, bytes: string])[] = [
  [0, "\u0089PNG\r\n\u001a\n"],
  [0, "\u00ff\u00d8\u00ff"],
  [0, "GIF8"],
  [8, "WEBP"],
];

/**
 * Whether a URL is an embedded picture whose bytes match its type: PNG, JPEG, GIF or WebP
 * (docs/contract/assets.md#svg-files).
 */
export function isEmbeddedPicture(url: string): boolean {
  const base64 = DATA_URL.exec(url)?.[1];
  if (base64 === undefined) {
    return false;
  }
  const start = base64.slice(0, 4 * BASE64_TO_LOOK_AT).replaceAll(/\s+/g, "");
  let bytes: string;
  try {
    bytes = atob(start.slice(0, BASE64_TO_LOOK_AT));
  } catch {
    return false;
  }
  return SIGNATURES.some(([offset, signature]) => bytes.startsWith(signature, offset));
}

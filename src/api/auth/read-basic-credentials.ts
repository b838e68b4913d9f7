import { AppError } from "../../lib/errors/errors.ts";

export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

const BASIC = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;
const HEADER_CHARS_MAX = 4096;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the credentials of an HTTP Basic header (RFC 7617); undefined if there is no header. Throws `invalid_request`
 * for a malformed header: another scheme, invalid base64, no colon.
 */
export function readBasicCredentials(header: string | undefined): BasicCredentials | undefined {
  if (header === undefined || header.trim() === "") {
    return undefined;
  }
  const encoded = header.length > HEADER_CHARS_MAX ? undefined : BASIC.exec(header)?.[1];
  const text = encoded === undefined ? undefined : decode(encoded);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon === -1) {
    throw new AppError(
      "invalid_request",
      "The Authorization header is not HTTP Basic. Send: Basic base64(<client_id>:<client_secret>).",
    );
  }
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decode(base64: string): string | undefined {
  try {
    const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return utf8.decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

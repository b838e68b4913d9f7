/** Access to a stored file by its address alone (docs/contract/results.md#file-addresses). */
import { createHmac } from "node:crypto";
import { sameBytes } from "../lib/same-bytes.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

/** docs/contract/results.md#file-addresses: private addresses are valid for an hour. */
const LIFETIME_MS = LIMITS.private_address.value;
const SIGNATURE = /^[A-Za-z0-9_-]{43}$/;

export interface FileAccessEnv {
  /** `private` signs every address; otherwise the 256 random bits of the path grant access. */
  readonly FILE_ACCESS?: string;
  readonly JWT_SECRET: string;
}

export interface FileAddress {
  readonly url: string;
  /** Null if addresses do not expire. */
  readonly expiresAtMs: number | null;
}

/** Returns a file's address for callers, signed in private mode. `url` is the result of `fileUrl` or `cellUrl`. */
export function grantFileAccess(env: FileAccessEnv, url: string, nowMs: number): FileAddress {
  if (env.FILE_ACCESS !== "private") {
    return { url, expiresAtMs: null };
  }
  const expires = Math.floor((nowMs + LIFETIME_MS) / 1000);
  const signature = sign(env, decodeURI(new URL(url, "http://service").pathname), expires);
  const query = `expires=${expires}&signature=${signature}`;
  return { url: `${url}${url.includes("?") ? "&" : "?"}${query}`, expiresAtMs: expires * 1000 };
}

/** Whether a request for a file's address may be served. */
export function hasFileAccess(env: FileAccessEnv, requestUrl: string, nowMs: number): boolean {
  if (env.FILE_ACCESS !== "private") {
    return true;
  }
  const { pathname, searchParams } = new URL(requestUrl);
  const expires = Number(searchParams.get("expires"));
  const given = searchParams.get("signature") ?? "";
  if (!Number.isSafeInteger(expires) || expires * 1000 <= nowMs || !SIGNATURE.test(given)) {
    return false;
  }
  const utf8 = new TextEncoder();
  return sameBytes(utf8.encode(given), utf8.encode(sign(env, safeDecode(pathname), expires)));
}

/** A path that a client encodes differently is still the same path. */
function safeDecode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function sign(env: FileAccessEnv, path: string, expires: number): string {
  // The label separates this use of the secret from all others.
  return createHmac("sha256", `files|${env.JWT_SECRET}`)
    .update(`${expires}\n${path}`)
    .digest("base64url");
}

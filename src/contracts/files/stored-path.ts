import { STORAGE_SCHEME } from "./bundle-manifest.ts";

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** The path of the stored file that a picture's source names, with or without `storage://`; undefined for an address. */
export function storedPathOf(source: string): string | undefined {
  const isNamed = source.startsWith(STORAGE_SCHEME);
  const path = isNamed ? source.slice(STORAGE_SCHEME.length) : source;
  return isNamed || !SCHEME.test(source) ? path.replace(/\?.*$/s, "") : undefined;
}

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const cache = new Map<string, Uint8Array<ArrayBuffer>>();

/** A font file of a package, by its path below node_modules. Not to be written to. */
export function realFont(path: string): Uint8Array<ArrayBuffer> {
  const known = cache.get(path);
  if (known !== undefined) {
    return known;
  }
  const url = new URL(`../../../node_modules/${path}`, import.meta.url);
  const bytes = new Uint8Array(readFileSync(fileURLToPath(url.href)));
  cache.set(path, bytes);
  return bytes;
}

/** TrueType outlines, some of them made of parts; 87 KB. */
export const trueType = () =>
  realFont("@expo-google-fonts/oswald/400Regular/Oswald_400Regular.ttf");
/** CFF outlines with subroutines; 108 KB. */
export const openType = () => realFont("source-code-pro/OTF/SourceCodePro-It.otf");

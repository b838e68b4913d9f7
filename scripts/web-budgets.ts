import type { WebManifest } from "../src/contracts/embeds/web-manifest.ts";

/** Most bytes, compressed with Brotli, that a browser loads before a page or a host can start. */
const PAGE_BYTES_MAX = { widget: 45_000, editor: 160_000, error: 8_000 };
const SDK_BYTES_MAX = 3_000;
/** Most files that a page loads before it starts: its script and its style sheet, at once. A further one would wait for the first. */
const PAGE_FILES_MAX = 2;

export interface WebSize {
  readonly name: string;
  readonly bytes: number;
  readonly bytesMax: number;
  readonly files: number;
  readonly filesMax: number;
}

/** What each page loads at start, and each form of the SDK, beside its budget. Throws for a file that is not listed. */
export function webSizes({ pages, assets, sdk }: WebManifest): readonly WebSize[] {
  const sizeOf = (files: WebManifest["assets"], name: string) => {
    const file = files[name];
    if (file === undefined) {
      throw new Error(`The manifest of the browser code does not list ${name}.`);
    }
    return file.brotli_bytes;
  };
  const names = ["widget", "editor", "error"] as const;
  return [
    ...names.map((name) => {
      const { script, preloads, styles } = pages[name];
      const loaded = [script, ...preloads, ...styles];
      return {
        name,
        bytes: loaded.reduce((sum, file) => sum + sizeOf(assets, file), 0),
        bytesMax: PAGE_BYTES_MAX[name],
        files: loaded.length,
        filesMax: PAGE_FILES_MAX,
      };
    }),
    ...["v1.js", "v1.mjs"].map((file) => ({
      name: `SDK ${file}`,
      bytes: sizeOf(sdk, file),
      bytesMax: SDK_BYTES_MAX,
      files: 1,
      filesMax: 1,
    })),
  ];
}

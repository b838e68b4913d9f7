/** A built file of the browser code, below `assets/` or `sdk/`. */
export interface WebFile {
  /** Media type. */
  readonly type: string;
  /** Size as sent by a host that compresses it once, at Brotli's highest quality. */
  readonly brotli_bytes: number;
}

/** What a page loads at start, as names of files below `assets/`. */
export interface WebPage {
  readonly script: string;
  readonly preloads: readonly string[];
  readonly styles: readonly string[];
}

/** dist/assets/embed/manifest.json, written by `scripts/build-web.ts`; bundled into the API Worker and not served. */
export interface WebManifest {
  readonly pages: Readonly<Record<"widget" | "editor" | "error", WebPage>>;
  readonly assets: Readonly<Record<string, WebFile>>;
  readonly sdk: Readonly<Record<string, WebFile>>;
}

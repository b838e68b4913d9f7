/** Keys of page images of previews: `{workspace}/previews/{end, in seconds}/{43 characters}/page-{n}.png`. */
import { newFileToken } from "./file-token.ts";

const PREVIEW_KEY =
  /^ws_[0-9a-f]{32}\/previews\/(\d{10,11})\/[A-Za-z0-9_-]{43}\/page-[1-9]\d{0,3}\.png$/;

/** A new folder whose files are served until the end of `expiresAtMs`'s second. */
export function newPreviewFolder(workspaceId: string, expiresAtMs: number): string {
  const seconds = Math.ceil(expiresAtMs / 1_000);
  return `${workspaceId}/previews/${String(seconds)}/${newFileToken()}/`;
}

/** The key of a page's image; `number` counts from 1. */
export function previewKey(folder: string, number: number): string {
  return `${folder}page-${String(number)}.png`;
}

/** When the address of this key expires; undefined for keys of other files. */
export function previewExpiryMs(key: string): number | undefined {
  const seconds = PREVIEW_KEY.exec(key)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

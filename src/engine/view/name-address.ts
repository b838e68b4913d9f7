import type { ViewCell, ViewOutput } from "./view-input.ts";

/**
 * The address to download one element, with the file name that the author gave the output (nodes "Outputs"). `{index}`
 * becomes the element's index, from 0; several indices are joined with "-", and an element without indices has `0`. The
 * extension stays that of the stored file.
 */
export function nameAddress(url: string, output: ViewOutput, cell: ViewCell): string {
  if (output.fileName === undefined) {
    return url;
  }
  const place = cell.indices.length === 0 ? "0" : cell.indices.join("-");
  const name = output.fileName.replaceAll("{index}", place).toWellFormed();
  return `${url}${url.includes("?") ? "&" : "?"}name=${encodeURIComponent(name)}`;
}

import type { ViewCell, ViewOutput } from "./view-input.ts";

/**
 * The address under which one element is downloaded, with the file name that the author gave the
 * output (nodes "Outputs"). `{index}` becomes the element's place, from 0, its indices joined with
 * "-" where it has several, `0` where it has none. The extension stays that of the stored file.
 */
export function nameAddress(url: string, output: ViewOutput, cell: ViewCell): string {
  if (output.fileName === undefined) {
    return url;
  }
  const place = cell.indices.length === 0 ? "0" : cell.indices.join("-");
  const name = output.fileName.replaceAll("{index}", place).toWellFormed();
  return `${url}${url.includes("?") ? "&" : "?"}name=${encodeURIComponent(name)}`;
}

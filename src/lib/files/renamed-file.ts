import { fileBaseName } from "./file-base-name.ts";
import type { FileRef } from "./file-ref.ts";

/**
 * The same stored bytes under another name with their own extension; unchanged if there is no name.
 */
export function renamedFile(file: FileRef, fileName: string | undefined): FileRef {
  if (fileName === undefined) {
    return file;
  }
  const dot = file.name.lastIndexOf(".");
  const extension = dot > 0 ? file.name.slice(dot) : "";
  return file.with({ name: fileBaseName(fileName) + extension });
}

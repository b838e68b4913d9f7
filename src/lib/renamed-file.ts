import { fileBaseName } from "./file-base-name.ts";
import { FileRef } from "./file-ref.ts";

/** The same stored bytes under another name, with the extension that they have; without a name, as they are. */
export function renamedFile(file: FileRef, fileName: string | undefined): FileRef {
  if (fileName === undefined) {
    return file;
  }
  const dot = file.name.lastIndexOf(".");
  const extension = dot > 0 ? file.name.slice(dot) : "";
  const { key, contentType, sizeBytes, etag } = file;
  return new FileRef({
    key,
    name: fileBaseName(fileName) + extension,
    contentType,
    sizeBytes,
    etag,
  });
}

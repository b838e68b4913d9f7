import { fileTypeFromBuffer } from "file-type/core";
import type { DetectType } from "./sniff-file.ts";

/** The detector itself, for the Workers that contain it. The API Worker calls the runner's (`ask-file-types.ts`). */
export const detectType: DetectType = async (head) => {
  try {
    return (await fileTypeFromBuffer(head))?.ext;
  } catch {
    // The detector may throw on crafted bytes.
    return undefined;
  }
};

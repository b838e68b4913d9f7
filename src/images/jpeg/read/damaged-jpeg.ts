import { unreadableImage } from "../../unreadable-image.ts";

/** A JPEG that cannot be decoded to its end. `what` names the fault. */
export function damagedJpeg(what: string): Error {
  return unreadableImage(
    `is damaged, or of a kind of JPEG that is not read: ${what}. Save it again, or as PNG.`,
  );
}

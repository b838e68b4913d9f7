import type { Matrix } from "../../../templates/display-list.ts";
import type { Orientation } from "../../../images/header/image-header.ts";

/** Where a point of the stored picture is shown, both in the unit square with y down (EXIF 2.32, tag 274). */
const STORED_TO_SHOWN: Readonly<Record<Orientation, Matrix>> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, 1, 1, 0, 0, 0],
  6: [0, 1, -1, 0, 1, 0],
  7: [0, -1, -1, 0, 1, 1],
  8: [0, -1, 1, 0, 0, 1],
};

export function storedToShown(orientation: Orientation): Matrix {
  return STORED_TO_SHOWN[orientation];
}

import type { Picture } from "../../../images/raster/raster.ts";
import type { Accent } from "./palette.ts";

/** The sample image model's input. Equal requests give equal bytes. */
export interface SamplePictureRequest {
  /** Lines of the prompt; the first that does not speak of `image 1` is the headline. */
  readonly prompt: string;
  readonly seed: number;
  /** 64 to 4,096 px. */
  readonly width: number;
  readonly height: number;
  readonly accent: Accent;
  readonly preset: { readonly category: string; readonly code: string } | null;
  /** `intensity` from 1 to 100. */
  readonly effect: { readonly code: string; readonly intensity: number } | null;
  /** At most 8, in their sequence; their orientation is applied. */
  readonly images: readonly Picture[];
}

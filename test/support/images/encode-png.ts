import * as png from "../../../src/images/png/png-encoder.ts";
import { openPng as open } from "../../../src/images/png/read/open-png.ts";
import type { Picture } from "../../../src/images/raster/raster.ts";
import { imageCodecs } from "./wasm-modules.ts";

/** Our encoder of whole pictures, as a Worker has it. */
export const encodePng = (rgba: Uint8ClampedArray, width: number, height: number): Uint8Array =>
  png.encodePng(imageCodecs.pixels, rgba, width, height);

/** Our decoder, as a Worker has it. */
export const openPng = (bytes: Uint8Array): Picture => open(imageCodecs.pixels, bytes);

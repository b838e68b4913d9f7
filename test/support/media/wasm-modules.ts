/** The wasm modules of sound processing, compiled from the files that the Workers import. */
import { compiledPackageFile } from "../compiled-package-file.ts";

export const rnnoise = () => compiledPackageFile("simple-rnnoise-wasm/dist/rnnoise.wasm");
export const timeStretch = () => compiledPackageFile("../src/media/codec/time-stretch.wasm");
export const samplesModule = () => compiledPackageFile("../src/media/dsp/samples.wasm");
export const convolveModule = () => compiledPackageFile("../src/media/dsp/convolve.wasm");

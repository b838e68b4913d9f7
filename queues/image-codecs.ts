import avif from "@jsquash/avif/codec/dec/avif_dec.wasm";
import jpeg from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm";
// @ts-expect-error -- the package describes the exports of an instance; bundlers give the module
import png from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm";
import webp from "@jsquash/webp/codec/dec/webp_dec.wasm";
import webpEncoder from "@jsquash/webp/codec/enc/webp_enc_simd.wasm";
import { ImageCodecs } from "../src/images/codec/image-codecs.ts";

/** The picture codecs of this isolate, for all who need them: at most one instance of each lives. */
export const imageCodecs = new ImageCodecs({ png, jpeg, webp, webpEncoder, avif });

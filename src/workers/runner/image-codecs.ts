import avif from "../../images/avif/avif.wasm";
import webp from "../../images/webp/webp-reader.wasm";
import webpEncoder from "../../images/webp/webp-writer.wasm";
import jpeg from "../../images/jpeg/jpeg.wasm";
import pixels from "../../images/pixels/pixels.wasm";
import type { ImageCodecs } from "../../images/open-image.ts";

/** The compiled picture codecs; one instance lives as long as the file that it processes. */
export const imageCodecs: ImageCodecs = { jpeg, webp, webpEncoder, avif, pixels };

/** Compiled modules of the codecs. Bundlers give them; workerd compiles no bytes. */
export interface ImageCodecs {
  readonly webp: WebAssembly.Module;
  readonly webpEncoder: WebAssembly.Module;
  readonly avif: WebAssembly.Module;
}

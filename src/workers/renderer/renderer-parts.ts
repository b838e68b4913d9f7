import webp from "../../images/webp/webp-reader.wasm";
import webpEncoder from "../../images/webp/webp-writer.wasm";
import avif from "../../images/avif/avif.wasm";
import pdfium from "@hyzyla/pdfium/pdfium.wasm";
import harfBuzz from "harfbuzzjs/dist/harfbuzz.wasm";
import jpeg from "../../images/jpeg/jpeg.wasm";
import type { ImageCodecs } from "../../images/open-image.ts";
import pixels from "../../images/pixels/pixels.wasm";
import { isolateMemory } from "../../lib/memory/memory-budget.ts";
import { PageDrawer } from "../../render/pages/page-drawer.ts";
import subsetter from "../../render/shaping/harfbuzz-subset.wasm";
import { Shaper } from "../../render/shaping/shaper.ts";
import { WeightedCache } from "../../lib/memory/weighted-cache.ts";
import type { PackedProfile } from "../../render/pdf/pdf-resources.ts";
import { RenderRoom } from "./render-room.ts";
import { KeptTemplates } from "./kept-templates.ts";
import { PROFILE_BYTES_MAX } from "./resources/load-pdf-mode.ts";

/** What renders share in an isolate: compiled wasm, open faces, prepared documents. It holds no values. */
export class RendererParts {
  readonly codecs: ImageCodecs = { jpeg, webp, webpEncoder, avif, pixels };
  readonly shaper = new Shaper({ harfBuzz, subsetter });
  readonly drawer = new PageDrawer(pdfium, pixels);
  readonly room = new RenderRoom(this);
  readonly templates = new KeptTemplates();
  readonly profiles = new WeightedCache<PackedProfile>(PROFILE_BYTES_MAX, 1);
  readonly #fontMemory = isolateMemory.keep(0, () => {
    this.shaper.drop();
  });
  readonly #pageMemory = isolateMemory.keep(0, () => {
    this.drawer.drop();
  });

  constructor() {
    this.shaper.limitBy(this.room.hasRoom);
  }

  /** Keeps other work in the isolate from dropping what a render uses. */
  begin(): () => void {
    const ends = [this.#fontMemory.use(), this.#pageMemory.use()];
    return () => {
      this.shaper.endRender();
      this.#fontMemory.resize(this.shaper.memoryBytes + this.shaper.keptBytes);
      this.#pageMemory.resize(this.drawer.memoryBytes);
      for (const end of ends) {
        end();
      }
    };
  }
}

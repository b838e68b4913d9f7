import type { FontResolver } from "../text/font-resolver.ts";
import type { LaidText } from "../text/laid-text.ts";
import type { TextSpec } from "../text/text-spec.ts";

/** `text/`'s layout of one text. */
export type LayOutText = (spec: TextSpec, fonts: FontResolver) => LaidText;

/** Texts that do not depend on values, laid out once for as long as their prepared document and the fonts live. */
export class TextCache {
  readonly #fonts: FontResolver;
  readonly #layOutText: LayOutText;
  readonly #laid = new WeakMap<TextSpec, LaidText>();

  constructor(fonts: FontResolver, layOutText: LayOutText) {
    this.#fonts = fonts;
    this.#layOutText = layOutText;
  }

  layOut(spec: TextSpec): LaidText {
    return this.#layOutText(spec, this.#fonts);
  }

  /** For a spec of the prepared document itself. */
  layOutStatic(spec: TextSpec): LaidText {
    let laid = this.#laid.get(spec);
    if (laid === undefined) {
      laid = this.layOut(spec);
      this.#laid.set(spec, laid);
    }
    return laid;
  }
}

const CACHES = new WeakMap<FontResolver, TextCache>();

/** The cache that belongs to these fonts. */
export function textCacheOf(fonts: FontResolver, layOutText: LayOutText): TextCache {
  let cache = CACHES.get(fonts);
  if (cache === undefined) {
    cache = new TextCache(fonts, layOutText);
    CACHES.set(fonts, cache);
  }
  return cache;
}

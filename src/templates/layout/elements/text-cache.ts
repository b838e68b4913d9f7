import type { FontResolver } from "../../text/font-resolver.ts";
import type { LaidText } from "../../text/laid-text.ts";
import type { OverflowPolicy, TextSpec } from "../../text/text-spec.ts";

/** `text/`'s layout of one text. */
export type LayOutText = (spec: TextSpec, fonts: FontResolver) => LaidText;

/** Characters of the texts that are kept for one document: each takes some 130 bytes, laid out. */
export const KEPT_CHARACTERS_MAX = 8_000;

interface KeptText {
  readonly laid: LaidText;
  readonly overflowPolicy: OverflowPolicy;
  readonly weight: number;
  wasUsed: boolean;
}

/** Texts that do not depend on values, laid out once for as long as their prepared document and the fonts live. */
export class TextCache {
  readonly #fonts: FontResolver;
  readonly #layOutText: LayOutText;
  /** Under the policy of the last render that laid them out. */
  readonly #kept = new Map<TextSpec, KeptText>();
  #keptCharacters = 0;

  constructor(fonts: FontResolver, layOutText: LayOutText) {
    this.#fonts = fonts;
    this.#layOutText = layOutText;
  }

  layOut(spec: TextSpec): LaidText {
    return this.#layOutText(spec, this.#fonts);
  }

  /** For a spec of the prepared document itself, under a render's policy. */
  layOutStatic(spec: TextSpec, overflowPolicy: OverflowPolicy): LaidText {
    const known = this.#kept.get(spec);
    if (known?.overflowPolicy === overflowPolicy) {
      known.wasUsed = true;
      return known.laid;
    }
    const laid = this.layOut(withPolicy(spec, overflowPolicy));
    this.#forget(spec);
    const weight = laid.characters + 1;
    if (this.#hasRoom(weight)) {
      this.#keptCharacters += weight;
      this.#kept.set(spec, { laid, overflowPolicy, weight, wasUsed: true });
    }
    return laid;
  }

  /**
   * Each text that finds no room looks at the oldest one, and replaces it if nobody used it since the last look: it was of
   * an element that has another size now. A document with more texts than there is room for keeps those that it has.
   */
  #hasRoom(weight: number): boolean {
    const [oldest] = this.#kept;
    if (this.#keptCharacters + weight > KEPT_CHARACTERS_MAX && oldest !== undefined) {
      const [spec, kept] = oldest;
      this.#forget(spec);
      if (kept.wasUsed) {
        this.#kept.set(spec, { ...kept, wasUsed: false });
        this.#keptCharacters += kept.weight;
      }
    }
    return this.#keptCharacters + weight <= KEPT_CHARACTERS_MAX;
  }

  #forget(spec: TextSpec): void {
    this.#keptCharacters -= this.#kept.get(spec)?.weight ?? 0;
    this.#kept.delete(spec);
  }
}

/** The spec as a render's policy changes it. */
export function withPolicy(spec: TextSpec, overflowPolicy: OverflowPolicy): TextSpec {
  return spec.overflowPolicy === overflowPolicy ? spec : { ...spec, overflowPolicy };
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

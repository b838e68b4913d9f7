import { Buffer } from "node:buffer";
import type { ShapedRun } from "../../templates/text/font-face.ts";

/** What a kept run weighs beside its glyphs, in glyphs: its key and its objects. */
const RUN_WEIGHT = 16;

interface Generation {
  /** By face and options, then by text. */
  readonly runs: Map<string, Map<string, Map<string, ShapedRun>>>;
  weight: number;
}

/**
 * Shaped runs of the last renders, in two generations: when the younger one has half of the weight that may be kept, it
 * becomes the older one, and what was there is forgotten unless it was asked for since. So a run that is found costs no
 * change of order.
 */
export class KeptRuns {
  readonly #weightMax: number;
  #young: Generation = { runs: new Map(), weight: 0 };
  #old: Generation = { runs: new Map(), weight: 0 };

  /** `weightMax` is counted in glyphs. */
  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  get weight(): number {
    return this.#young.weight + this.#old.weight;
  }

  find(face: string, options: string, text: string): ShapedRun | undefined {
    const young = this.#young.runs.get(face)?.get(options)?.get(text);
    if (young !== undefined) {
      return young;
    }
    const old = this.#old.runs.get(face)?.get(options)?.get(text);
    if (old !== undefined) {
      this.keep(face, options, text, old);
    }
    return old;
  }

  keep(face: string, options: string, text: string, run: ShapedRun): void {
    const weight = run.length + RUN_WEIGHT + (text.length >> 3);
    if (this.#young.weight + weight > this.#weightMax / 2) {
      this.#old = this.#young;
      this.#young = { runs: new Map(), weight: 0 };
    }
    const byOptions = kept(this.#young.runs, face);
    kept(byOptions, options).set(withoutParent(text), run);
    this.#young.weight += weight;
  }

  clear(): void {
    this.#young = { runs: new Map(), weight: 0 };
    this.#old = { runs: new Map(), weight: 0 };
  }
}

function kept<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let inner = map.get(key);
  if (inner === undefined) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}

/** V8 copies parts of a text up to this length; a longer part refers to the whole text. */
const COPIED_MAX = 12;

/** A text of its own: a part of a longer one would keep all of that, up to 4 MiB, for as long as the run is kept. */
function withoutParent(text: string): string {
  return text.length <= COPIED_MAX ? text : Buffer.from(text, "utf16le").toString("utf16le");
}

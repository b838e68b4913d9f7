import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { LaidText } from "../text/laid-text.ts";
import { RenderTooLargeError } from "./options.ts";

/** Characters that are laid out between two pauses: some 100 ms, or as long as one text takes. */
export const SLICE_CHARACTERS = 100_000;
/** Characters that the texts of one output page print, all of which are in memory while the page is laid out. */
const PAGE_CHARACTERS_MAX = LIMITS.render_page_text.value;
/** What a text of no characters counts. */
const TEXT_CHARACTERS = 50;

/** Ends an attempt at a part of the layout. */
class SliceEnded extends Error {
  override readonly name = "SliceEnded";
}

/**
 * Divides a layout into slices, so that its caller can pause between them. A part whose texts take longer than a slice is
 * begun again after the pause, and takes the texts that it has laid out so far in the same order.
 */
export class Slices {
  readonly #characters: number;
  #laid: LaidText[] = [];
  #next = 0;
  /** Characters that `#laid` prints. */
  #printed = 0;
  #left: number;

  /** `characters` is at least 1: a slice has at least one text. */
  constructor(characters: number) {
    this.#characters = characters;
    this.#left = characters;
  }

  /** A text of the part under way. Throws RenderTooLargeError if the part prints too much. */
  text(layOut: () => LaidText): LaidText {
    const known = this.#laid[this.#next];
    if (known !== undefined) {
      this.#next += 1;
      return known;
    }
    if (this.#left <= 0) {
      throw new SliceEnded();
    }
    const laid = layOut();
    this.#left -= laid.characters + TEXT_CHARACTERS;
    this.#printed += laid.charactersPrinted;
    if (this.#printed > PAGE_CHARACTERS_MAX) {
      throw new RenderTooLargeError(
        `The texts of a page print more than ${PAGE_CHARACTERS_MAX} characters. Send shorter values, or cut texts at their boxes.`,
      );
    }
    this.#laid.push(laid);
    this.#next += 1;
    return laid;
  }

  /**
   * Runs a part of the layout; yields where the caller may pause. `part` must do the same each time that it is called,
   * as if it had not been called before, and lay out texts with `text` only.
   */
  *run<T>(part: () => T): Generator<null, T> {
    for (;;) {
      this.#next = 0;
      try {
        const made = part();
        this.#laid = [];
        this.#printed = 0;
        return made;
      } catch (error) {
        if (!(error instanceof SliceEnded)) {
          throw error;
        }
      }
      yield null;
      this.#left = this.#characters;
    }
  }
}

/** The result of slices without a pause. */
export function withoutPauses<T>(slices: Generator<null, T>): T {
  let next = slices.next();
  while (next.done !== true) {
    next = slices.next();
  }
  return next.value;
}

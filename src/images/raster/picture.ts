/** A picture that is read from its top to its bottom, some rows at a time, so that it need not be held whole. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Nothing in it is transparent. */
  readonly isOpaque: boolean;
  /**
   * Whole rows as RGBA, not premultiplied; each stripe holds until the next is asked for. They can be
   * read once: what is held for them is let go at their end. Throws NodeError `IMAGE_UNREADABLE` where
   * the file is damaged.
   */
  stripes(): AsyncIterable<Uint8ClampedArray>;
}

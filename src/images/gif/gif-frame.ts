/** The first frame of a GIF, still packed. */
export interface GifFrame {
  /** Of the whole picture. */
  readonly width: number;
  readonly height: number;
  /** Where the frame lies in it. */
  readonly left: number;
  readonly top: number;
  readonly frameWidth: number;
  readonly frameHeight: number;
  readonly isInterlaced: boolean;
  /** RGB, 3 bytes a colour. */
  readonly palette: Uint8Array;
  readonly transparentIndex: number | undefined;
  /** Bits of the smallest LZW code. */
  readonly codeBits: number;
  /** The LZW data, its blocks joined. */
  readonly data: Uint8Array;
}

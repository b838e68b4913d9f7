/** The form in which sound passes between the parts of `src/media`. */

/** Sampling rate in Hz and number of channels. */
export interface SoundShape {
  readonly sampleRate: number;
  readonly channels: number;
}

/**
 * Planar samples, 1.0 is full scale: one array for each channel, all of one length (1 to
 * BLOCK_FRAMES_MAX). Valid until the next block is requested.
 */
export type AudioBlock = readonly Float32Array[];

/** Maximum number of frames of a block. */
export const BLOCK_FRAMES_MAX = 8192;

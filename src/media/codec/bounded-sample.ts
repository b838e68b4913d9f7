/** 24 dB above full scale: decoders clip far below it, and no sound that is meant to be heard reaches it. */
export const SAMPLE_MAX = 16;

/**
 * The sample as lossy encoders can take it. FFmpeg's AAC encoder searches without an end for the scale of samples of 10^9,
 * and libopus makes silence of 10^4; a file of floating-point numbers may contain either. NaN becomes 0.
 */
export function boundedSample(sample: number): number {
  return sample > SAMPLE_MAX
    ? SAMPLE_MAX
    : sample >= -SAMPLE_MAX
      ? sample
      : sample < -SAMPLE_MAX
        ? -SAMPLE_MAX
        : 0;
}

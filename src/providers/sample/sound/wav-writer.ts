/** Formats that this service writes. */
export type WavFormat = "pcm16" | "float32";

/** Bytes before the samples. */
export const WAV_HEADER_BYTES = { pcm16: 44, float32: 58 } as const;

/**
 * The header of a WAV file (RIFF) whose samples follow: of 16-bit PCM, or of 32-bit float with the
 * `fact` chunk that formats other than PCM require.
 */
export function wavHeader(
  format: WavFormat,
  sampleRate: number,
  channels: number,
  frames: number,
): Uint8Array {
  const size = WAV_HEADER_BYTES[format];
  const bytesPerFrame = channels * (format === "pcm16" ? 2 : 4);
  const data = frames * bytesPerFrame;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  const tag = (at: number, name: string) => {
    for (let i = 0; i < 4; i++) {
      bytes[at + i] = name.charCodeAt(i);
    }
  };
  tag(0, "RIFF");
  // A file above 4 GiB has no valid length; readers then read to the end.
  view.setUint32(4, Math.min(0xffff_ffff, size - 8 + data + (data % 2)), true);
  tag(8, "WAVE");
  tag(12, "fmt ");
  view.setUint32(16, format === "pcm16" ? 16 : 18, true);
  view.setUint16(20, format === "pcm16" ? 1 : 3, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * bytesPerFrame, true);
  view.setUint16(32, bytesPerFrame, true);
  view.setUint16(34, format === "pcm16" ? 16 : 32, true);
  if (format === "float32") {
    tag(38, "fact");
    view.setUint32(42, 4, true);
    view.setUint32(46, frames, true);
  }
  tag(size - 8, "data");
  view.setUint32(size - 4, Math.min(0xffff_ffff, data), true);
  return bytes;
}

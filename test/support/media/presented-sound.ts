import { MemorySource } from "../../../src/lib/files/memory-source.ts";
import { PACKET_CODECS } from "../../../src/media/codec/sound-codecs.ts";
import { ByteWindow } from "../../../src/media/container/byte-window.ts";
import { decodeTrack } from "../../../src/media/container/decode-track.ts";
import { detectContainer, requireSoundTrack } from "../../../src/media/container/open-media.ts";
import { isPcmCodec, pcmBitDepth } from "../../../src/media/container/wav/pcm.ts";
import { PcmDecoder } from "../../../src/media/container/wav/pcm-decoder.ts";
import { readWavHeader } from "../../../src/media/container/wav/wav-header.ts";
import { openBytes } from "./copied-movie.ts";
import { RULERS } from "./rulers.ts";

/** What a player presents of a sound, found without the decoders: for tests in Node, which have no types of wasm. */
export async function presentedSound(bytes: Uint8Array) {
  const window = new ByteWindow(new MemorySource(bytes, ""));
  if ((await detectContainer(window)).container === "wav") {
    const { codec, sampleRate, channels, frames } = await readWavHeader(window);
    return { codec, sampleRate, channels, frames, bitDepth: pcmBitDepth(codec) };
  }
  const track = requireSoundTrack(await openBytes(bytes));
  const { sound, codec, config, pcm } = track;
  if (sound === null || codec === null) {
    throw new Error("The file has no sound that is read.");
  }
  const { sampleRate, channels, bitDepth } = sound;
  const known = PACKET_CODECS.find((name) => name === codec);
  const open = () => {
    if (isPcmCodec(codec)) {
      return new PcmDecoder({ codec, channels, isBigEndian: pcm?.isBigEndian ?? false });
    }
    const ruler = known === undefined ? undefined : RULERS[known];
    if (known === undefined || ruler === undefined) {
      throw new Error(`There is no ruler for ${codec}.`);
    }
    return ruler({ codec: known, config, sampleRate, channels });
  };
  let frames = 0;
  const counts = { packets: 0, failed: 0 };
  const ratio = sampleRate / track.timeScale;
  for await (const block of decodeTrack(track, sound, ratio, open, counts)) {
    frames += block[0]?.length ?? 0;
  }
  return { codec, sampleRate, channels, frames, bitDepth };
}

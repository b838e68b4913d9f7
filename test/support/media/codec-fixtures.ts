import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { compiledPackageFile } from "../compiled-package-file.ts";

/** The modules of wasm/ffmpeg. */
export const ffmpegModules = {
  sound: compiledPackageFile("../src/media/codec/ffmpeg/sound.wasm"),
  pictures: compiledPackageFile("../src/media/codec/ffmpeg/pictures.wasm"),
  opus: compiledPackageFile("../src/media/codec/ffmpeg/opus.wasm"),
};

const folder = new URL("../../fixtures/codecs/", import.meta.url).href;

/** A file of test/fixtures/codecs, which scripts/make-codec-fixtures.ts wrote. */
export function codecFixture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(fileURLToPath(folder + name)));
}

/** The samples that native ffmpeg decoded from a sound, interleaved. */
export function decodedFixture(name: string): Int16Array {
  const bytes = new Uint8Array(gunzipSync(codecFixture(`${name}.s16.gz`)));
  return new Int16Array(bytes.buffer);
}

/** MD5 of the pictures of a film, or of all samples of a lossless sound, by native ffmpeg. */
export function expectedHashes(name: string): readonly string[] {
  const all = JSON.parse(new TextDecoder().decode(codecFixture("expected.json"))) as Record<
    string,
    readonly string[]
  >;
  return all[name] ?? [];
}

interface StoredPacket {
  readonly data: Uint8Array;
  /** In microseconds. */
  readonly pts: number;
  readonly isKey: boolean;
}

/** A track as it lies in its file: the decoder's configuration and the packets, in the order of the file. */
export interface StoredTrack {
  readonly config: Uint8Array | null;
  readonly sampleRate: number;
  readonly channels: number;
  readonly packets: readonly StoredPacket[];
}

/** Reads the first track of a file. */
export async function readTrack(file: Uint8Array<ArrayBuffer>): Promise<StoredTrack> {
  const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
  const [track] = await input.getTracks();
  if (track === undefined || !(track.isAudioTrack() || track.isVideoTrack())) {
    throw new Error("The file has neither sound nor pictures.");
  }
  const config = await track.getDecoderConfig();
  const description = config?.description;
  const packets: StoredPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    packets.push({
      data: packet.data,
      pts: packet.microsecondTimestamp,
      isKey: packet.type === "key",
    });
  }
  return {
    // The container library does not know ALAC.
    config: description === undefined ? alacCookie(file) : bytesOf(description),
    sampleRate: track.isAudioTrack() ? track.sampleRate : 0,
    channels: track.isAudioTrack() ? track.numberOfChannels : 0,
    packets,
  };
}

/** The box "alac" of 36 bytes in a sample entry, whole; null if the file has none. */
function alacCookie(file: Uint8Array): Uint8Array | null {
  const at = Buffer.from(file).indexOf(Buffer.from("\0\0\0\x24alac", "latin1"));
  return at === -1 ? null : file.slice(at, at + 36);
}

function bytesOf(given: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice()
    : new Uint8Array(given).slice();
}

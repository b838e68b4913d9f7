import type { ModelSound } from "../../../src/contracts/models/model-calls.ts";
import type { ByteSource } from "../../../src/lib/files/byte-source.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";

/** A WAV as a provider gets it, which nothing decodes unless `changes` says how. */
export function soundOf(source: ByteSource, seconds: number, changes: Partial<ModelSound> = {}) {
  const decode = () => Promise.reject(new NodeError("AUDIO_UNREADABLE", "Nothing decodes it."));
  return { format: "wav", contentType: "audio/wav", seconds, source, decode, ...changes } as const;
}

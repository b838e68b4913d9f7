/** Sounds in providers' answers, judged by their bytes while they arrive (docs/contract/models.md#calls). */
import { LIMITS } from "../lib/limits/limits-table.ts";
import { badOutput } from "./call-failure.ts";

const HEAD_BYTES = 12;
/** Sizes that a header has when its writer did not know the length: all bits, or almost. */
const UNKNOWN_SIZE = 0x7fff_f000;

/**
 * The bytes of a sound that arrives in pieces. Returns once its first bytes are those of a WAV, MP3, FLAC, Ogg or M4A, and
 * hands on the rest as it arrives. Throws NodeError `PROVIDER_BAD_OUTPUT`, here or while the bytes are read, for other
 * bytes, a WAV that is shorter than it states, and too many bytes; rethrows what the pieces throw.
 */
export async function readSound(
  pieces: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const source = pieces[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after another
    const { value, done } = await source.next();
    if (done === true) {
      throw badOutput("it is not a sound");
    }
    head.push(value.slice());
    bytes += value.length;
  }
  const start = Buffer.concat(head).subarray(0, HEAD_BYTES);
  if (!isSound(start)) {
    await source.return?.();
    throw badOutput("it is not a sound");
  }
  return counted(head, source, statedBytes(start));
}

async function* counted(
  head: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  stated: number,
): AsyncGenerator<Uint8Array> {
  let bytes = head.reduce((sum, piece) => sum + piece.length, 0);
  try {
    yield* head.splice(0);
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after another
      const { value, done } = await rest.next();
      if (done === true) {
        break;
      }
      bytes += value.length;
      if (bytes > LIMITS.provider_sound.value) {
        throw badOutput("the sound has more bytes than are accepted");
      }
      yield value;
    }
    if (bytes < stated) {
      throw badOutput("the sound is not complete");
    }
  } finally {
    await rest.return?.();
  }
}

function isSound(start: Buffer): boolean {
  const text = start.toString("latin1");
  const [first = 0, second = 0] = start;
  return (
    (text.startsWith("RIFF") && text.endsWith("WAVE")) ||
    text.startsWith("ID3") ||
    text.startsWith("fLaC") ||
    text.startsWith("OggS") ||
    text.slice(4, 8) === "ftyp" ||
    // The header of a frame of MPEG layer III.
    (first === 0xff && (second & 0xe6) === 0xe2)
  );
}

/** The bytes that a WAV has at least according to its header; 0 if the header does not say. */
function statedBytes(start: Buffer): number {
  const size = start.toString("latin1", 0, 4) === "RIFF" ? start.readUInt32LE(4) : 0;
  // Some writers count the byte that pads the last chunk and do not write it.
  return size === 0 || size >= UNKNOWN_SIZE ? 0 : size + 8 - 1;
}

/** Sounds that the media Worker decodes for a sample model: every end of the connection has its code, and a cancel ends the work. */
import { describe, expect, test } from "vitest";
import type {
  DecodeSoundRequest,
  SoundDecoderApi,
} from "../../../../src/contracts/media/decoded-sound.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { countedSamplesOf, samplesOf } from "../../../../src/workers/media/sound-samples.ts";
import { decodeSound } from "../../../../src/workers/runner/decode-sound.ts";

const FILE = new FileRef({ key: "k", name: "a.mp3", contentType: "audio/mpeg", sizeBytes: 9 });
/** Two of them are a part after which the count gives a sign. */
const BLOCK = 24_000;
const SHAPE = { "x-sample-rate": "8000", "x-channels": "1" };

/** A sound of so many blocks, which `at` may interrupt, in each pass over it. */
function soundOf(blocks: number, at: (block: number, pass: number) => void = () => {}) {
  const seen = { passes: 0, decoded: 0, releases: 0, closes: 0 };
  const reader = {
    async *blocks(signal?: AbortSignal) {
      const pass = ++seen.passes;
      for (let block = 0; block < blocks; block++) {
        signal?.throwIfAborted();
        at(block, pass);
        seen.decoded += 1;
        yield [new Float32Array(BLOCK).fill(block)];
      }
      at(blocks, pass);
    },
    close: () => (seen.closes += 1),
  };
  const lease = { release: () => (seen.releases += 1) };
  return { seen, reader, lease };
}

const turn = () => Promise.resolve();
const answering = (response: Response | Promise<Response>, seen: DecodeSoundRequest[] = []) => ({
  SOUND_DECODER: {
    decode: (request) => {
      seen.push(request);
      return Promise.resolve(response);
    },
  } satisfies SoundDecoderApi,
});
const decode = (response: Response | Promise<Response>, signal = new AbortController().signal) =>
  decodeSound(answering(response), "w", FILE, signal);

async function read(samples: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of samples) {
    bytes += piece.length;
  }
  return bytes;
}

const counted = ({ reader, lease }: ReturnType<typeof soundOf>) =>
  new Response(countedSamplesOf(reader, lease, turn), { headers: SHAPE });
const stated = ({ reader, lease }: ReturnType<typeof soundOf>, frames: number) =>
  new Response(samplesOf(reader, lease, turn), {
    headers: { ...SHAPE, "x-frames": String(frames) },
  });

const UNAVAILABLE = { code: "PROVIDER_UNAVAILABLE", retryable: true };

describe("a sound whose header has no length", () => {
  test("has the number of its frames, and all of them", async () => {
    for (const blocks of [0, 1, 5]) {
      const sound = soundOf(blocks);
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const { frames, samples, ...shape } = await decode(counted(sound));
      expect([frames, shape]).toEqual([blocks * BLOCK, { sampleRate: 8_000, channels: 1 }]);
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await read(samples)).toBe(blocks * BLOCK * 4);
      expect(sound.seen).toMatchObject({ passes: 2, releases: 1, closes: 1 });
    }
  });

  test("is counted from pieces of any size", async () => {
    const sound = soundOf(5);
    const bytes = new Uint8Array(await counted(sound).arrayBuffer());
    for (const size of [1, 3, 1_000_000]) {
      const pieces = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < 60; at += size) {
            controller.enqueue(bytes.slice(at, Math.min(60, at + size)));
          }
          controller.enqueue(bytes.slice(60));
          controller.close();
        },
      });
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const { frames, samples } = await decode(new Response(pieces, { headers: SHAPE }));
      expect(frames).toBe(5 * BLOCK);
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await read(samples)).toBe(5 * BLOCK * 4);
    }
  });

  test("is AUDIO_UNREADABLE, with the reason, if it cannot be decoded while it is counted", async () => {
    const sound = soundOf(8, (block) => {
      if (block === 6) {
        throw new NodeError("MEDIA_UNREADABLE", "Too many packets are damaged.");
      }
    });
    await expect(decode(counted(sound))).rejects.toMatchObject({
      code: "AUDIO_UNREADABLE",
      message: "The sound cannot be decoded. Too many packets are damaged.",
      retryable: false,
    });
    expect(sound.seen).toMatchObject({ releases: 1, closes: 1 });
  });

  test("whose count is cancelled is not decoded any further, and its memory is released", async () => {
    const stop = new AbortController();
    const sound = soundOf(1_000_000, (block) => {
      if (block === 20) {
        stop.abort(new Error("The run was cancelled."));
      }
    });
    await expect(decode(counted(sound), stop.signal)).rejects.toThrow("The run was cancelled.");
    await expect.poll(() => sound.seen.releases).toBeGreaterThan(0);
    // No more than the part that was counted meanwhile.
    expect(sound.seen.decoded).toBeLessThan(24);
    expect(sound.seen.passes).toBe(1);
  });
});

describe("a connection that fails", () => {
  const withBytes = (...bytes: number[]) =>
    new Response(Uint8Array.from(bytes), { headers: SHAPE });
  test.each<[string, () => Response | Promise<Response>]>([
    ["at the call", () => Promise.reject(new Error("Network connection lost."))],
    ["with 503", () => new Response(null, { status: 503 })],
    ["with another status", () => new Response("no", { status: 500 })],
    ["while the frames are counted", () => counted(soundOf(9, failing(5, 1)))],
    ["before any frame is counted", () => counted(soundOf(9, failing(0, 1)))],
    ["with an end within the count", () => withBytes(0, 0, 1, 7)],
    ["with a count that is none", () => withBytes(9, 9, 9, 9, 9, 9, 9, 9, 9, 9)],
  ])("%s is PROVIDER_UNAVAILABLE, which is repeated", async (_when, respond) => {
    await expect(decode(respond())).rejects.toMatchObject(UNAVAILABLE);
  });

  test("in the middle of the samples is PROVIDER_UNAVAILABLE, which is repeated", async () => {
    for (const [response, passes] of [
      [(sound: ReturnType<typeof soundOf>) => stated(sound, 9 * BLOCK), 1],
      [counted, 2],
    ] as const) {
      const sound = soundOf(9, failing(5, passes));
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const { samples } = await decode(response(sound));
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await expect(read(samples)).rejects.toMatchObject(UNAVAILABLE);
      expect(sound.seen).toMatchObject({ releases: 1, closes: 1 });
    }
  });
});

function failing(at: number, of: number) {
  return (block: number, pass: number) => {
    if (block === at && pass === of) {
      throw new TypeError("The file store does not answer.");
    }
  };
}

describe("a cancel", () => {
  const reason = new Error("The run was cancelled.");

  test("while the media Worker has not answered ends the call, and a later answer is not kept", async () => {
    const stop = new AbortController();
    const answer = Promise.withResolvers<Response>();
    const asked = decode(answer.promise, stop.signal);
    stop.abort(reason);
    await expect(asked).rejects.toBe(reason);
    const sound = soundOf(3);
    answer.resolve(stated(sound, 3 * BLOCK));
    await expect.poll(() => sound.seen.releases).toBe(1);
  });

  test("while nothing is read ends the decoding at once, and the reading with its reason", async () => {
    const stop = new AbortController();
    const sound = soundOf(9);
    const { samples } = await decode(stated(sound, 9 * BLOCK), stop.signal);
    const pieces = samples[Symbol.asyncIterator]();
    await pieces.next();
    stop.abort(reason);
    await expect.poll(() => sound.seen.releases).toBeGreaterThan(0);
    await expect(pieces.next()).rejects.toBe(reason);
  });

  test("of a call that was aborted before asks for nothing", async () => {
    const requests: DecodeSoundRequest[] = [];
    const env = answering(new Response(), requests);
    await expect(decodeSound(env, "w", FILE, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(requests).toEqual([]);
  });
});

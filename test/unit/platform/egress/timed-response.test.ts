/**
 * Bodies under limits, read with a reader, with `for await`, which takes the pieces past the stream's queue, and with pieces
 * that are valid until the next one is requested.
 */
import { describe, expect, test } from "vitest";
import { EgressError } from "../../../../src/platform/egress/egress-error.ts";
import {
  borrowedPieces,
  respondWithin,
  type ResponseLimits,
} from "../../../../src/platform/egress/timed-response.ts";

type Read = (body: ReadableStream<Uint8Array>, onPiece: () => void) => Promise<number>;

const WAYS: Readonly<Record<string, Read>> = {
  "a reader": async (body, onPiece) => {
    const reader = body.getReader();
    let bytes = 0;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- pieces follow each other
      const { value, done } = await reader.read();
      if (done) {
        return bytes;
      }
      bytes += value.length;
      onPiece();
    }
  },
  "for await": async (body, onPiece) => {
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      onPiece();
    }
    return bytes;
  },
  "borrowed pieces": async (body, onPiece) => {
    let bytes = 0;
    for await (const piece of borrowedPieces(body)) {
      bytes += piece.length;
      onPiece();
    }
    return bytes;
  },
};

const LIMITS = { responseTimeoutMs: 600_000, totalTimeoutMs: 600_000, maxBytes: 1_000_000 };

/** A body of pieces, which then ends, fails or waits, and whether it was cancelled. */
function source(pieces: readonly number[], then: "ends" | "fails" | "waits") {
  const left = [...pieces];
  const seen = { isCancelled: false, hasEnded: false };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const size = left.shift();
        if (size !== undefined) {
          controller.enqueue(new Uint8Array(size));
        } else if (then === "ends") {
          seen.hasEnded = true;
          controller.close();
        } else if (then === "fails") {
          controller.error(new Error("connection lost: http://secret"));
        } else {
          await new Promise(() => {});
        }
      },
      cancel() {
        seen.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

/** A body whose reads neither end nor notice that they are cancelled. */
class StuckBody extends ReadableStream<Uint8Array> {
  onRead = () => {};
  override getReader(): never {
    const read = () => {
      this.onRead();
      return new Promise(() => {});
    };
    // Only what the service calls of a reader.
    return { read, cancel: () => new Promise(() => {}) } as never;
  }
}

async function bodyOf(body: ReadableStream<Uint8Array>, limits: Partial<ResponseLimits> = {}) {
  const response = new Response(null);
  Object.defineProperty(response, "body", { value: body });
  return (await respondWithin({ ...LIMITS, ...limits }, () => Promise.resolve(response))).body;
}

describe.each(Object.entries(WAYS))("a body that is read with %s", (_name, read) => {
  test("arrives whole", async () => {
    const { body, seen } = source([5, 70_000, 1], "ends");
    expect(await read(await bodyOf(body), () => {})).toBe(70_006);
    expect(seen.isCancelled).toBe(false);
  });

  test("that breaks off fails, without the words of the runtime", async () => {
    const failed = read(await bodyOf(source([5], "fails").body), () => {});
    await expect(failed).rejects.toMatchObject({
      code: "connection_failed",
      message: "The response ended early.",
    });
  });

  test("that is too large fails at the first byte too many and is cancelled", async () => {
    const { body, seen } = source([5, 5], "waits");
    const failed = read(await bodyOf(body, { maxBytes: 9 }), () => {});
    await expect(failed).rejects.toMatchObject({ code: "body_too_large" });
    expect(seen.isCancelled).toBe(true);
  });

  test("that does not end fails when its time is over", async () => {
    const { body, seen } = source([5], "waits");
    const failed = read(await bodyOf(body, { totalTimeoutMs: 20 }), () => {});
    await expect(failed).rejects.toMatchObject({ code: "timeout" });
    expect(seen.isCancelled).toBe(true);
  });

  test("fails with the caller's reason while it waits for a piece", async () => {
    const { body, seen } = source([5], "waits");
    const abort = new AbortController();
    const failed = read(await bodyOf(body, { signal: abort.signal }), () => {
      // Once the next read waits.
      setTimeout(() => abort.abort(new Error("cancelled")), 0);
    });
    await expect(failed).rejects.toThrow("cancelled");
    expect(seen.isCancelled).toBe(true);
  });

  test("fails also if the runtime lets the read wait", async () => {
    const body = new StuckBody();
    const abort = new AbortController();
    body.onRead = () => abort.abort(new Error("cancelled"));
    const failed = read(await bodyOf(body, { signal: abort.signal }), () => {});
    await expect(failed).rejects.toThrow("cancelled");
  });
});

/** Reads one piece and leaves the rest. */
async function readOne(body: ReadableStream<Uint8Array>): Promise<void> {
  for await (const piece of body) {
    expect(piece).toHaveLength(5);
    break;
  }
}

test("a short rest of a body is read, so that its connection can be used again", async () => {
  const { body, seen } = source([5, 70, 1], "ends");
  await readOne(await bodyOf(body));
  await expect.poll(() => seen.hasEnded, { timeout: 180_000 }).toBe(true);
  expect(seen.isCancelled).toBe(false);
});

test.each([
  ["that does not end", () => source([5], "waits")],
  ["that is long", () => source([5, ...Array.from({ length: 100 }, () => 1_000)], "waits")],
])("a rest %s is cancelled", async (_name, given) => {
  const { body, seen } = given();
  await readOne(await bodyOf(body));
  await expect.poll(() => seen.isCancelled, { timeout: 180_000 }).toBe(true);
});

test("a long rest is cancelled at 64 KiB", async () => {
  const { body, seen } = source([5, ...Array.from({ length: 100 }, () => 1_000)], "ends");
  await readOne(await bodyOf(body));
  await expect.poll(() => seen.isCancelled, { timeout: 180_000 }).toBe(true);
  expect(seen.hasEnded).toBe(false);
});

test("a body that is cancelled before it is read has no rest", async () => {
  const { body, seen } = source([], "waits");
  await (await bodyOf(body)).cancel();
  expect(seen.isCancelled).toBe(true);
});

test("fails once, with an error of this service", async () => {
  const read = WAYS["for await"] ?? expect.unreachable();
  await expect(read(await bodyOf(source([], "fails").body), () => {})).rejects.toBeInstanceOf(
    EgressError,
  );
});

import { expect, test } from "vitest";
import { isShown, type Watch, watchedEvents } from "../../../../src/domain/embeds/embed-events.ts";

const EVENTS = [
  "retry: 1000\n\nid: 0-0\nevent: status\ndata: {}\n\n",
  'id: 1-0\nevent: node\ndata: {"node_id":"secret"}\n\nid: 1-1\nevent: progress\ndata: {}\n\n',
  'id: 1-1\nevent: text\ndata: {"delta":"a prompt"}\n\n',
  ": still here\n\n",
  'id: 2-0\nevent: output\ndata: {"x":"event: node"}\n\nid: 2-1\nevent: done\ndata: {}\n\n',
].join("");

const shownEvents = (...[events, watch]: [ReadableStream<Uint8Array>, Watch]) =>
  watchedEvents(events, watch, isShown);

const SHOWN = EVENTS.replace(/id: 1-0\nevent: node\n.*\n\n/, "").replace(
  /id: 1-1\nevent: text\n.*\n\n/,
  "",
);

/** A stream of these pieces, which stays open unless it is told to end. */
function streamOf(pieces: readonly Uint8Array[], isEnded = true) {
  const left = [...pieces];
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = left.shift();
        if (piece !== undefined) {
          controller.enqueue(piece);
        } else if (isEnded) {
          controller.close();
        }
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, isCancelled: () => isCancelled };
}

const never = { isOver: () => Promise.resolve(false), wait: () => new Promise<void>(() => {}) };

test.each([1, 2, 7, 64, 10_000])(
  "an embed sees status, progress, output and done alone, in pieces of %d bytes",
  async (bytes) => {
    const all = new TextEncoder().encode(EVENTS);
    const pieces = Array.from({ length: Math.ceil(all.length / bytes) }, (_, i) =>
      all.slice(i * bytes, (i + 1) * bytes),
    );
    expect(await new Response(shownEvents(streamOf(pieces).stream, never)).text()).toBe(SHOWN);
  },
);

test("a stream ends when its token is not valid any more, also while nothing happens", async () => {
  const looks = [false, false, true];
  const source = streamOf([new TextEncoder().encode(EVENTS)], false);
  const shown = shownEvents(source.stream, {
    isOver: () => Promise.resolve(looks.shift() ?? true),
    // Each look is due once the events before it were read.
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  expect(await new Response(shown).text()).toBe(SHOWN);
  expect([looks, source.isCancelled()]).toEqual([[], true]);
});

test("a stream that never stops telling ends too", async () => {
  const piece = new TextEncoder().encode("id: 1-0\nevent: progress\ndata: {}\n\n");
  let looks = 0;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(piece);
    },
  });
  const shown = shownEvents(source, {
    isOver: () => Promise.resolve(++looks === 3),
    wait: () => Promise.resolve(),
  });
  expect((await new Response(shown).text()).length % piece.length).toBe(0);
  expect(looks).toBe(3);
});

test("a client that leaves cancels the run's stream", async () => {
  const source = streamOf([], false);
  await shownEvents(source.stream, never).cancel();
  expect(source.isCancelled()).toBe(true);
});

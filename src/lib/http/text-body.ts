/**
 * Longer bodies, in UTF-16 units, are streamed: a string is faster, a stream does not accumulate in
 * memory.
 */
const WHOLE_MAX_UNITS = 128 * 1024;

const encoder = new TextEncoder();

/**
 * Pieces of text as a response body: one string if short, else a byte stream that is created as it
 * is read. `release` is called whenever a piece has been passed on, with `isOver` at the end, however
 * it ends.
 */
export async function textBody(
  pieces: AsyncIterable<string>,
  release: (isOver: boolean) => void = () => undefined,
): Promise<string | ReadableStream<Uint8Array>> {
  const source = pieces[Symbol.asyncIterator]();
  const iterator = {
    async next(): Promise<IteratorResult<string, unknown>> {
      let isOver = true;
      try {
        const next = await source.next();
        isOver = next.done === true;
        return next;
      } finally {
        release(isOver);
      }
    },
  };
  let head = "";
  while (head.length <= WHOLE_MAX_UNITS) {
    // oxlint-disable-next-line no-await-in-loop -- the pieces must be in order
    const next = await iterator.next();
    if (next.done === true) {
      return head;
    }
    head += next.value;
  }
  let start: string | undefined = head;
  return new ReadableStream({
    // Only byte streams can cross an RPC boundary.
    type: "bytes",
    async pull(controller: ReadableByteStreamController) {
      if (start !== undefined) {
        controller.enqueue(encoder.encode(start));
        start = undefined;
        return;
      }
      const next = await iterator.next();
      if (next.done === true) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      try {
        await source.return?.();
      } finally {
        release(true);
      }
    },
  });
}

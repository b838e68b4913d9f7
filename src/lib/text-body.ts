/** Past this many UTF-16 units a body is streamed: a string travels quicker, a stream does not pile up. */
const WHOLE_MAX_UNITS = 128 * 1024;

const encoder = new TextEncoder();

/** Pieces of text as a response body: one string when they are few, else a byte stream made as it is read. */
export async function textBody(
  pieces: AsyncIterable<string>,
): Promise<string | ReadableStream<Uint8Array>> {
  const iterator = pieces[Symbol.asyncIterator]();
  let head = "";
  while (head.length <= WHOLE_MAX_UNITS) {
    // oxlint-disable-next-line no-await-in-loop -- pieces come in order
    const next = await iterator.next();
    if (next.done === true) {
      return head;
    }
    head += next.value;
  }
  let start: string | undefined = head;
  return new ReadableStream({
    // Byte streams are the only ones that cross an RPC boundary.
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
      await iterator.return?.();
    },
  });
}

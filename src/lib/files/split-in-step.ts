/**
 * Splits blocks of several parts, made in step, into a sequence for each part. A block is requested when every part has
 * been asked for it, so one block is held. Each sequence is read once; an abort of the signal ends the source, and fails
 * all sequences with its reason.
 */
export function splitInStep<K extends string>(
  source: AsyncIterable<Readonly<Record<K, Uint8Array>>>,
  names: readonly K[],
  signal: AbortSignal,
): Readonly<Record<K, AsyncIterable<Uint8Array>>> {
  type Block = IteratorResult<Readonly<Record<K, Uint8Array>>, unknown>;
  const blocks = source[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<never>();
  // Only pending reads are told of it.
  aborted.promise.catch(() => undefined);
  const abort = () => {
    aborted.reject(signal.reason);
    blocks.return?.().catch(() => undefined);
  };
  if (signal.aborted) {
    abort();
  } else {
    signal.addEventListener("abort", abort, { once: true });
  }
  let next = Promise.withResolvers<Block>();
  let asking = 0;
  const ask = (): Promise<Block> => {
    const current = next;
    if (++asking === names.length) {
      [next, asking] = [Promise.withResolvers<Block>(), 0];
      blocks.next().then(current.resolve, current.reject);
    }
    return Promise.race([current.promise, aborted.promise]);
  };
  async function* part(name: K): AsyncGenerator<Uint8Array> {
    for (let block = await ask(); block.done !== true; block = await ask()) {
      yield block.value[name];
    }
  }
  const parts: Partial<Record<K, AsyncIterable<Uint8Array>>> = {};
  for (const name of names) {
    parts[name] = part(name);
  }
  return parts as Record<K, AsyncIterable<Uint8Array>>;
}

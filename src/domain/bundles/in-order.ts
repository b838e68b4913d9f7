/** The number of open connections to R2 leaves room for the invocation's other calls. */
const AT_ONCE = 4;

/** Maps a list in order, with a few calls at a time. The first error ends it. */
export async function inOrder<T, R>(
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    for (let i = next++; i < items.length; i = next++) {
      results[i] = await map(items[i] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}

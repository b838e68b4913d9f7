/** Rule L2 of UAX 9: what one line holds, in the order of the text, as it stands from left to right. */
export function visualOrder<T>(items: readonly T[], levelOf: (item: T) => number): T[] {
  const order = [...items];
  const highest = order.reduce((level, item) => Math.max(level, levelOf(item)), 0);
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < order.length; from++) {
      let to = from;
      for (let item = order[to]; item !== undefined && levelOf(item) >= level; item = order[to]) {
        to++;
      }
      if (to > from) {
        order.splice(from, to - from, ...order.slice(from, to).reverse());
        from = to;
      }
    }
  }
  return order;
}

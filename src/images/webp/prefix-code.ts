/**
 * A prefix code for small numbers: the bits of each code, reversed as the stream requires, and
 * their number.
 */
export interface PrefixCode {
  readonly lengths: Uint8Array;
  readonly codes: Uint16Array;
}

/**
 * The best prefix code for these counts with codes of at most `bitsMax` bits (Huffman; counts are
 * halved until the longest code fits). At least two numbers must have been counted.
 */
export function prefixCode(counts: Uint32Array, bitsMax: number): PrefixCode {
  let weights = counts;
  for (;;) {
    const lengths = huffmanLengths(weights);
    if (lengths.every((length) => length <= bitsMax)) {
      return { lengths, codes: canonicalCodes(lengths) };
    }
    weights = weights.map((weight) => (weight === 0 ? 0 : (weight >>> 1) | 1));
  }
}

interface Node {
  readonly weight: number;
  /** A number, or two child nodes. */
  readonly below: number | readonly [Node, Node];
}

function huffmanLengths(weights: Uint32Array): Uint8Array {
  const byWeight = (a: Node, b: Node) => a.weight - b.weight;
  const leaves: Node[] = [...weights]
    .map((weight, value) => ({ weight, below: value }))
    .filter(({ weight }) => weight > 0)
    .toSorted(byWeight);
  // Created in order of weight, so two queues keep both sorted.
  const joined: Node[] = [];
  let [leaf, join] = [0, 0];
  const lightest = (): Node => {
    const [a, b] = [leaves[leaf], joined[join]];
    if (a !== undefined && (b === undefined || a.weight <= b.weight)) {
      leaf++;
      return a;
    }
    join++;
    return b as Node;
  };
  for (let left = leaves.length; left > 1; left--) {
    const pair = [lightest(), lightest()] as const;
    joined.push({ weight: pair[0].weight + pair[1].weight, below: pair });
  }
  const lengths = new Uint8Array(weights.length);
  const open: [Node, number][] = [[lightest(), 0]];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [{ below }, depth] = entry;
    if (typeof below === "number") {
      lengths[below] = depth;
    } else {
      open.push([below[0], depth + 1], [below[1], depth + 1]);
    }
  }
  return lengths;
}

/** Shorter codes first, then smaller numbers, as the decoder builds them. */
function canonicalCodes(lengths: Uint8Array): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  let code = 0;
  for (let length = 1; length <= 15; length++) {
    for (let value = 0; value < lengths.length; value++) {
      if (lengths[value] === length) {
        codes[value] = reversed(code++, length);
      }
    }
    code <<= 1;
  }
  return codes;
}

function reversed(code: number, length: number): number {
  let out = 0;
  for (let bit = 0; bit < length; bit++) {
    out = (out << 1) | ((code >>> bit) & 1);
  }
  return out;
}

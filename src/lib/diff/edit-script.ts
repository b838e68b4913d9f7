/**
 * A shortest edit script between two sequences, by the linear-space algorithm of E. Myers (An O(ND) Difference
 * Algorithm and Its Variations, 1986).
 */

/** A run of items of `a` that is replaced by a run of items of `b`; either may be empty. */
export interface Edit {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

interface Box {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/**
 * Returns the edits of a shortest script from `a` to `b`, in order and with at least one equal item between two of them;
 * null if each script has more than `maxEdits` deletions and insertions together. Items are numbers that are equal if
 * the items are. Takes time in the order of (a + b) × edits, and memory in the order of a + b.
 */
export function editScript(
  a: Readonly<Int32Array>,
  b: Readonly<Int32Array>,
  maxEdits: number,
): readonly Edit[] | null {
  const whole = trimmed(a, b, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length });
  const half = Math.min(
    Math.ceil((whole.aTo - whole.aFrom + whole.bTo - whole.bFrom) / 2),
    Math.ceil(maxEdits / 2),
  );
  // Diagonals from -half - 1 to half + 1.
  const forward = new Int32Array(2 * half + 3);
  const backward = new Int32Array(2 * half + 3);
  const edits: { aFrom: number; aTo: number; bFrom: number; bTo: number }[] = [];
  let isFirst = true;
  // A stack instead of a recursion; the left box is taken first.
  const open: Box[] = [whole];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    const { aFrom, aTo, bFrom, bTo } = trimmed(a, b, box);
    if (aFrom === aTo || bFrom === bTo) {
      if (aTo - aFrom + bTo - bFrom > maxEdits) {
        return null;
      }
      push({ aFrom, aTo, bFrom, bTo });
      continue;
    }
    const found = middleSnake(a, b, { aFrom, aTo, bFrom, bTo }, forward, backward, half);
    if (found === null || (isFirst && found.edits > maxEdits)) {
      return null;
    }
    isFirst = false;
    open.push(
      { aFrom: found.aEnd, aTo, bFrom: found.bEnd, bTo },
      { aFrom, aTo: found.aStart, bFrom, bTo: found.bStart },
    );
  }
  return edits;

  function push(edit: Edit): void {
    if (edit.aFrom === edit.aTo && edit.bFrom === edit.bTo) {
      return;
    }
    const last = edits.at(-1);
    if (last !== undefined && last.aTo === edit.aFrom && last.bTo === edit.bFrom) {
      last.aTo = edit.aTo;
      last.bTo = edit.bTo;
    } else {
      edits.push({ ...edit });
    }
  }
}

/** Without the equal items at both ends. */
function trimmed(a: Readonly<Int32Array>, b: Readonly<Int32Array>, box: Box): Box {
  let { aFrom, aTo, bFrom, bTo } = box;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  return { aFrom, aTo, bFrom, bTo };
}

interface Snake {
  /** Deletions and insertions of a shortest script of the whole box. */
  readonly edits: number;
  readonly aStart: number;
  readonly bStart: number;
  readonly aEnd: number;
  readonly bEnd: number;
}

/** The paths from one end of a box: the furthest items that are reached on each diagonal. */
interface Sweep {
  readonly a: Readonly<Int32Array>;
  readonly b: Readonly<Int32Array>;
  /** Index of the first item in each sequence, and 1 or -1 towards the other end. */
  readonly aBase: number;
  readonly bBase: number;
  readonly sign: 1 | -1;
  readonly width: number;
  readonly height: number;
  readonly own: Int32Array;
  readonly other: Int32Array;
  /** Index of diagonal 0. */
  readonly zero: number;
}

/** Extends each path by one edit; returns the snake on which it meets a path of `otherDepth` edits from the other end. */
function extend(
  sweep: Sweep,
  depth: number,
  otherDepth: number,
): { readonly x: number; readonly start: number; readonly diagonal: number } | null {
  const { a, b, aBase, bBase, sign, width, height, own, other, zero } = sweep;
  const delta = width - height;
  // Paths meet after a move of the one whose depth has the parity of the difference in length.
  const meets = (delta & 1) === (depth === otherDepth ? 0 : 1);
  // Diagonals beyond the box lead nowhere.
  const from = -depth + 2 * Math.max(0, depth - height);
  const to = depth - 2 * Math.max(0, depth - width);
  for (let diagonal = from; diagonal <= to; diagonal += 2) {
    const below = own[zero + diagonal + 1] ?? 0;
    const left = own[zero + diagonal - 1] ?? 0;
    const isDown = diagonal === -depth || (diagonal !== depth && left < below);
    const start = isDown ? below : left + 1;
    let x = start;
    let y = x - diagonal;
    while (x < width && y < height && a[aBase + sign * x] === b[bBase + sign * y]) {
      x++;
      y++;
    }
    own[zero + diagonal] = x;
    const opposite = delta - diagonal;
    if (meets && Math.abs(opposite) <= otherDepth && x + (other[zero + opposite] ?? 0) >= width) {
      return { x, start, diagonal };
    }
  }
  return null;
}

/** The middle of a shortest script of a box without a common end; null if it is longer than 2 × `half`. */
function middleSnake(
  a: Readonly<Int32Array>,
  b: Readonly<Int32Array>,
  { aFrom, aTo, bFrom, bTo }: Box,
  forward: Int32Array,
  backward: Int32Array,
  half: number,
): Snake | null {
  const width = aTo - aFrom;
  const height = bTo - bFrom;
  const zero = half + 1;
  const box = { a, b, width, height, zero };
  const ahead: Sweep = {
    ...box,
    aBase: aFrom,
    bBase: bFrom,
    sign: 1,
    own: forward,
    other: backward,
  };
  const back: Sweep = {
    ...box,
    aBase: aTo - 1,
    bBase: bTo - 1,
    sign: -1,
    own: backward,
    other: forward,
  };
  forward[zero + 1] = 0;
  backward[zero + 1] = 0;
  const depthMax = Math.min(half, Math.ceil((width + height) / 2));
  for (let depth = 0; depth <= depthMax; depth++) {
    const met = extend(ahead, depth, depth - 1);
    if (met !== null) {
      const { x, start, diagonal } = met;
      return {
        edits: 2 * depth - 1,
        aStart: aFrom + start,
        bStart: bFrom + start - diagonal,
        aEnd: aFrom + x,
        bEnd: bFrom + x - diagonal,
      };
    }
    const metBack = extend(back, depth, depth);
    if (metBack !== null) {
      const { x, start, diagonal } = metBack;
      return {
        edits: 2 * depth,
        aStart: aTo - x,
        bStart: bTo - (x - diagonal),
        aEnd: aTo - start,
        bEnd: bTo - (start - diagonal),
      };
    }
  }
  return null;
}

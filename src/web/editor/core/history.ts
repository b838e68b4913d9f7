/** Undo and redo of the document. Selection and view are not part of it. */

/** Most steps that can be undone. */
export const HISTORY_STEPS_MAX = 200;

export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** Changes of this burst replace the present without a step of their own; null outside a burst. */
  readonly burst: string | null;
}

export function startHistory<T>(present: T): History<T> {
  return { past: [], present, future: [], burst: null };
}

/**
 * Makes `next` the present. Consecutive changes with the same `burst` (the movements of a drag, the letters typed into a
 * field) are one step; a change without one is a step of its own. An unchanged document is not a step.
 */
export function commit<T>(history: History<T>, next: T, burst: string | null = null): History<T> {
  if (next === history.present) {
    return history;
  }
  if (burst !== null && burst === history.burst) {
    return { ...history, present: next, future: [] };
  }
  const past = [...history.past, history.present];
  return { past: past.slice(-HISTORY_STEPS_MAX), present: next, future: [], burst };
}

/** Ends the burst: the next change is a step of its own. */
export function endBurst<T>(history: History<T>): History<T> {
  return history.burst === null ? history : { ...history, burst: null };
}

/** Returns the same history if there is nothing to undo. */
export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  return before === undefined
    ? history
    : {
        past: history.past.slice(0, -1),
        present: before,
        future: [history.present, ...history.future],
        burst: null,
      };
}

/** Returns the same history if there is nothing to redo. */
export function redo<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  return next === undefined
    ? history
    : { past: [...history.past, history.present], present: next, future, burst: null };
}

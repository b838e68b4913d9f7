import { BEFORE_FAULT } from "./watched-code.ts";

/** Longest wait of `together`, in case that fewer can wait at once. */
const TOGETHER_MAX_MS = 60_000;

/**
 * For `duringFault` with MEMORY_FAULTS.unasked: work that asks for memory begins when `count` ask for it, all at once,
 * however long the first has to wait for the last.
 */
export function together(count: number): string {
  return `(() => {
    const untilMs = Date.now() + ${TOGETHER_MAX_MS};
    let isOpen = false;
    let closing;
    return (budget, waiting) => {
      if (budget.bytesMax < 2 ** 26 || isOpen) {
        return 0;
      }
      isOpen = waiting >= ${count} || Date.now() > untilMs;
      // A single holder always fits; so there is another one.
      closing ??= { holder: budget.holder() };
      closing.lease ??= budget.takeAnyway(closing.holder, 1);
      budget.beat(closing.holder);
      if (isOpen) {
        closing.lease.release();
      }
      return isOpen ? 0 : 2 ** 40;
    };
  })()`;
}

/**
 * For `duringFault` with MEMORY_FAULTS.unasked, where FONT_HELD is planted, too: fonts that are checked stay in memory until
 * `endBefore`, however long the last one takes to arrive.
 */
export const FONTS_HELD = `Object.assign(() => 0, {
  hold(trial) {
    trial.pause = async () => {
      do {
        await scheduler.wait(50);
      } while (${BEFORE_FAULT} !== undefined);
    };
  },
})`;

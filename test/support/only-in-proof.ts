/**
 * A test file that imports this runs in the proof alone: `vitest.config.ts` leaves it out of `npm test`,
 * because each of its tests takes many seconds whatever its size. Another file must say the same at a
 * small size.
 */
export {};

/**
 * A test file that imports this runs in the proof only: `vitest.config.ts` excludes it from `npm test`, because each of
 * its tests takes many seconds at any size. Another file must check the same at a small size.
 */
export {};

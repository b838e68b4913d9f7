/** A function that takes no time, to measure the time of its import's use. */
export const increment = (value: number): number => value + 1;

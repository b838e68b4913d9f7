import { expect } from "vitest";

const MB = 1024 * 1024;

/**
 * Checks that a planted fault took more memory than the bound that it must be found by, in bytes. Both are printed, because a fault that
 * exceeds its bound by less than 1.4 is not found on each machine.
 */
export function expectFound(name: string, bytes: number, bound: number): void {
  const figures = `${(bytes / MB).toFixed(1)} MB, ${(bytes / bound).toFixed(2)} of the bound of ${(bound / MB).toFixed(1)} MB`;
  process.stderr.write(`live bytes: planted fault, ${name}: ${figures}\n`);
  expect(bytes, figures).toBeGreaterThan(bound);
}

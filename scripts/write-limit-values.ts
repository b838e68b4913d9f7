/**
 * Writes src/lib/limits/limit-values.ts, the values of the table of limits without its texts (`npm run docs`). A test
 * compares the two.
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { LIMIT_ROWS } from "../src/lib/limits/limit-rows.ts";

const TARGET = fileURLToPath(new URL("../src/lib/limits/limit-values.ts", import.meta.url));

const entries = LIMIT_ROWS.map(({ key, value }) => `  ${key}: { value: ${grouped(value)} },\n`);
await writeFile(
  TARGET,
  `/** Written from limit-rows.ts by \`npm run docs\`: the values, without the texts that only pages show. */
export const LIMIT_VALUES = {
${entries.join("")}} as const;
`,
);

/** Digits in groups of three, as the formatter and readers expect them. */
function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, "_");
}

/**
 * Writes src/domain/fonts/system-families.ts from the packages in system-font-sources.ts. Run it after a change there,
 * or after an update of one of the packages:
 *
 * node scripts/derive-system-families.ts
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describeSystemFamily } from "./describe-system-family.ts";
import { SYSTEM_FONT_SOURCES } from "./system-font-sources.ts";

const TARGET = fileURLToPath(new URL("../src/domain/fonts/system-families.ts", import.meta.url));

const families = await Promise.all(SYSTEM_FONT_SOURCES.map(describeSystemFamily));
await writeFile(
  TARGET,
  `// Written by scripts/derive-system-families.ts; do not edit.
import type { SystemFamily } from "./system-family.ts";

/** The families that ship with the service, each checked like an uploaded family. */
export const SYSTEM_FAMILIES: readonly SystemFamily[] = ${JSON.stringify(families, null, 2)};
`,
);
console.log(`Wrote ${TARGET}. Format it with oxfmt.`);

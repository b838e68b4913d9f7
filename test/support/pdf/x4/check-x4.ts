import { COLOR_RULES } from "./color-rules.ts";
import { FILE_RULES } from "./file-rules.ts";
import { PAGE_RULES } from "./page-rules.ts";
import { RESOURCE_RULES } from "./resource-rules.ts";
import { X4File } from "./x4-file.ts";
import type { X4Rule } from "./x4-rule.ts";

export interface X4Problem {
  readonly rule: string;
  readonly message: string;
}

export const X4_RULES: readonly X4Rule[] = [
  ...FILE_RULES,
  ...PAGE_RULES,
  ...COLOR_RULES,
  ...RESOURCE_RULES,
];

/**
 * What of PDF/X-4 (ISO 15930-7) a file of ours breaks. It judges what our writer can write: one level of pages, content
 * without inline images, Type 0 fonts. It reads files with pdf-lib's parser, and shares no code of ours with the writer.
 */
export async function checkX4(bytes: Uint8Array): Promise<X4Problem[]> {
  return checkX4File(await X4File.read(bytes));
}

/** The same of a file that may have been changed since it was read. */
export function checkX4File({ bytes, context }: X4File): X4Problem[] {
  const file = new X4File(bytes, context);
  return X4_RULES.flatMap(({ id, check }) => check(file).map((message) => ({ rule: id, message })));
}

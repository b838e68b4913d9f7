import type { X4File } from "./x4-file.ts";

/** One requirement: what breaks it, in words, or nothing. */
export interface X4Rule {
  readonly id: string;
  readonly check: (file: X4File) => readonly string[];
}

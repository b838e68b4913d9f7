/** One entry of the table of limits (`limit-rows.ts`), without its heading. */
interface LimitEntry {
  /** What is limited, in the words of a table's row. */
  readonly name: string;
  readonly value: number;
  readonly unit: "bytes" | "characters" | "count" | "digits" | "milliseconds";
  /** Why there is a limit, and why this one. */
  readonly reason: string;
}

/** The entries of one topic, by the name under which code takes them. */
export type Limits = Readonly<Record<string, LimitEntry>>;

export interface Limit extends LimitEntry {
  /** The name under which code takes its value. */
  readonly key: string;
  /** The heading in the tables of `/docs/limits` and docs/limits.md. */
  readonly group: string;
}

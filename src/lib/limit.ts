/** One entry of the table of limits (`limits-table.ts`). */
export interface Limit {
  /** What is limited, in the words of a table's row. */
  readonly name: string;
  readonly value: number;
  readonly unit: "bytes" | "characters" | "count" | "digits" | "milliseconds";
  /** Why it is there, and why so much. */
  readonly reason: string;
  /** The heading it stands under. */
  readonly group:
    | "Requests"
    | "Files and uploads"
    | "Fonts"
    | "Datasets and bundles"
    | "Workflows"
    | "Expressions"
    | "Runs"
    | "Webhooks";
}

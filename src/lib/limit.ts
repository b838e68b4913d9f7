/** One entry of the table of limits (`limits-table.ts`). */
export interface Limit {
  /** Name of the limit, as in its row of the table. */
  readonly name: string;
  readonly value: number;
  readonly unit: "bytes" | "characters" | "count" | "digits" | "milliseconds";
  /** The reason for the limit and for its value. */
  readonly reason: string;
  /** Heading of its group. */
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

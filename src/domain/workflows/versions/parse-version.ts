import { AppError } from "../../../lib/errors/errors.ts";
import type { WorkflowRow } from "../../../storage/d1/workflow-row.ts";

/**
 * A version number from 1 to the latest; anything else is `invalid_version` with the valid range
 * (docs/contract/workflows.md#life).
 */
export function parseVersion(row: WorkflowRow, given: string): number {
  const version = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (version >= 1 && version <= row.version) {
    return version;
  }
  const range =
    row.version === 0
      ? "the workflow has no published version yet"
      : `the valid range is 1 to ${row.version}`;
  throw new AppError(
    "invalid_version",
    `"${given.slice(0, 40)}" is not a version of ${row.id}: ${range}.`,
  );
}

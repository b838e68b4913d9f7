/**
 * SQL: whether `bytes` more fit into the quota `max` (null is none) of workspace `?1`. Both are
 * expressions of the statement that it stands in, so that one statement decides and writes.
 */
export function fitsQuota(bytes: string, max: string): string {
  return `(${max} IS NULL OR ${bytes} + coalesce((SELECT asset_bytes + session_bytes + output_bytes FROM storage_usage WHERE workspace_id = ?1), 0) <= ${max})`;
}

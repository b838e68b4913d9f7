/**
 * SQL condition: `bytes` more fit into the quota `max` (null for none) of workspace `?1`. Both are SQL expressions of
 * the enclosing statement, so that one statement checks and writes.
 */
export function fitsQuota(bytes: string, max: string): string {
  return `(${max} IS NULL OR ${bytes} + coalesce((SELECT asset_bytes + session_bytes + output_bytes FROM storage_usage WHERE workspace_id = ?1), 0) <= ${max})`;
}

import type { ColorProfile } from "../../contracts/templates/color-profile.ts";
import type { ColorProfileRow } from "../../storage/d1/color-profile-store.ts";

/** The public fields of a profile (docs/contract/templates.md#color-profiles). */
export function describeColorProfile(
  row: Omit<ColorProfileRow, "seq" | "workspace_id">,
): ColorProfile {
  const { guid, name, output_condition_identifier, color_space, sha256, size_bytes } = row;
  const created_at = new Date(row.created_at_ms).toISOString();
  return { guid, name, output_condition_identifier, color_space, sha256, size_bytes, created_at };
}

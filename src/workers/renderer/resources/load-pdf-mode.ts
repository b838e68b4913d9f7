import type { ReferencedColorProfile } from "../../../contracts/templates/color-profile.ts";
import type { RenderRequest } from "../../../contracts/templates/renderer.ts";
import { readPressProfile } from "../../../formats/icc/read-press-profile.ts";
import { sha256HexOfBytes } from "../../../lib/sha256.ts";
import type { RendererEnv } from "../../../platform/env.ts";
import type { WeightedCache } from "../../../lib/memory/weighted-cache.ts";
import { packProfile } from "../../../render/pdf/output-profile.ts";
import type { PackedProfile, PdfMode } from "../../../render/pdf/pdf-resources.ts";
import { readColorProfile } from "../../../storage/r2/color-profile-files.ts";

/** Of packed color profiles, the last used ones: two or three of a press. */
export const PROFILE_BYTES_MAX = 3 * 1024 * 1024;

/** Packed profiles by workspace and digest: bytes that were compared with their digest stay what they are. */
export type KeptProfiles = Pick<WeightedCache<PackedProfile>, "get" | "set">;

/** How a PDF is written, and which pictures it can hold. */
export interface LoadedMode {
  readonly mode: PdfMode;
  /** Whether inks have a meaning in the file. */
  readonly allowsCmyk: boolean;
}

/** Bytes of a profile beyond those that are kept, which the render's instances do without. */
export function profileBytes(mode: PdfMode): number {
  return mode.kind === "standard"
    ? 0
    : Math.max(0, mode.profile.packed.bytes.byteLength - PROFILE_BYTES_MAX);
}

/**
 * Reads the color profile of a PDF/X-4. Undefined if its bytes are gone, are not those that were stored, or are not a
 * profile that can be embedded. Rethrows errors of the store.
 */
export async function loadPdfMode(
  { env, kept }: { readonly env: Pick<RendererEnv, "FILES">; readonly kept: KeptProfiles },
  { workspace_id: workspaceId, template, options }: RenderRequest,
): Promise<LoadedMode | undefined> {
  if (options.pdf_export_mode === "standard") {
    return { mode: { kind: "standard" }, allowsCmyk: true };
  }
  const { color_profile: stored } = options;
  if (stored === undefined) {
    return undefined;
  }
  const key = `${workspaceId} ${stored.sha256}`;
  const profile = kept.get(key) ?? (await loadProfile(env, workspaceId, stored));
  if (profile === undefined) {
    return undefined;
  }
  kept.set(key, profile, profile.packed.bytes.byteLength);
  return {
    mode: {
      kind: "pdfx4",
      profile,
      profileName: stored.name,
      outputConditionIdentifier: stored.output_condition_identifier,
      date: new Date(template.changed_at_ms),
    },
    allowsCmyk: profile.space === "CMYK",
  };
}

async function loadProfile(
  env: Pick<RendererEnv, "FILES">,
  workspaceId: string,
  stored: ReferencedColorProfile,
): Promise<PackedProfile | undefined> {
  const profile = await readColorProfile(env.FILES, workspaceId, stored);
  if (profile === undefined || (await sha256HexOfBytes(profile)) !== stored.sha256) {
    return undefined;
  }
  const read = readPressProfile(profile);
  return "problem" in read ? undefined : packProfile(profile);
}

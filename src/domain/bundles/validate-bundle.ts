import type * as z from "zod";
import {
  BUNDLE_ASSETS_MAX,
  BUNDLE_SCHEMA,
  BundleEntry,
  type BundleIssue,
  type BundleManifest,
  type BundleValidation,
  type ChecksumPolicy,
  STORAGE_SCHEME,
} from "../../contracts/files/bundle-manifest.ts";
import type { DetectType } from "../../formats/sniff-file.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AssetRow } from "../../storage/d1/asset-store.ts";
import { essenceOf, inspectBytes } from "./inspect-bytes.ts";
import { inOrder } from "./in-order.ts";
import { foldPath, portablePathProblem } from "./portable-path.ts";
import { type BundleContext, storedAssets } from "./stored-assets.ts";
import { adviceOnFields, issueText } from "../../lib/errors/issue-text.ts";

interface ValidationContext extends BundleContext {
  readonly detectType: DetectType;
}

interface Candidate {
  readonly entry: BundleEntry;
  /** JSON path in the manifest. */
  readonly at: string;
  readonly storagePath: string;
}

/**
 * Checks a manifest against the stored files (docs/contract/bundles.md#validate). Every problem of
 * an entry is an issue and leaves the entry out. Storage that is missing or belongs to another
 * workspace is an error instead: `not_found`, `forbidden`. A `storageRef` of another form is
 * `validation_error`.
 */
export async function validateBundle(
  ctx: ValidationContext,
  manifest: Readonly<Record<string, unknown>>,
  policy: ChecksumPolicy,
): Promise<BundleValidation> {
  const issues: BundleIssue[] = [];
  const supplied: readonly unknown[] = Array.isArray(manifest["assets"]) ? manifest["assets"] : [];
  checkTop(manifest, supplied.length, issues);
  const listed = supplied.length > BUNDLE_ASSETS_MAX ? [] : supplied;
  // Ownership is checked first, for rejected entries too: no issue may reveal anything about
  // another workspace's files.
  const stored = await storedAssets(ctx, storageRefs(listed));
  const candidates = unique(parseEntries(listed, issues), issues);
  const verdicts = await inOrder(candidates, async (candidate) =>
    checkStored(ctx, candidate, stored.get(candidate.storagePath), policy),
  );
  issues.push(...verdicts.flat());
  const accepted = candidates.filter((_, i) => verdicts[i]?.length === 0);
  const bundle: BundleManifest = {
    schema: BUNDLE_SCHEMA,
    bundleId: typeof manifest["bundleId"] === "string" ? manifest["bundleId"] : "",
    assets: accepted.map(({ entry }) => entry),
  };
  return {
    bundle,
    supplied_asset_count: supplied.length,
    asset_count: bundle.assets.length,
    valid: issues.length === 0,
    issues,
  };
}

function checkTop(
  manifest: Readonly<Record<string, unknown>>,
  count: number,
  issues: BundleIssue[],
): void {
  const add = (path: string, message: string) => {
    issues.push({ code: "INVALID_MANIFEST", path, message });
  };
  if (manifest["schema"] !== BUNDLE_SCHEMA) {
    add("schema", `schema must be "${BUNDLE_SCHEMA}".`);
  }
  const { bundleId } = manifest;
  if (typeof bundleId !== "string" || bundleId === "" || bundleId.length > 200) {
    add("bundleId", "bundleId must be a text of 1 to 200 characters.");
  }
  if (!Array.isArray(manifest["assets"])) {
    add("assets", "assets must be a list of entries.");
  } else if (count > BUNDLE_ASSETS_MAX) {
    add("assets", `assets has ${count} entries; at most ${BUNDLE_ASSETS_MAX} are checked at once.`);
  }
  for (const name of Object.keys(manifest)) {
    if (!["schema", "bundleId", "assets"].includes(name)) {
      add(name.slice(0, 100).toWellFormed(), "A manifest does not have this member. Remove it.");
    }
  }
}

/** Every storage reference, including those in entries with other problems. */
function storageRefs(listed: readonly unknown[]): { path: string; field: string }[] {
  return listed.flatMap((item, i) => {
    const ref: unknown =
      typeof item === "object" && item !== null && Object.hasOwn(item, "storageRef")
        ? (item as { storageRef: unknown }).storageRef
        : undefined;
    if (typeof ref !== "string") {
      return [];
    }
    const field = `manifest.assets[${i}].storageRef`;
    if (!ref.startsWith(STORAGE_SCHEME) || ref.length === STORAGE_SCHEME.length) {
      const message = `"${ref.slice(0, 100).toWellFormed()}" is not a storage reference. Send "${STORAGE_SCHEME}" and the asset's path.`;
      throw new AppError("validation_error", `${field}: ${message}`, {
        errors: [{ field, message }],
      });
    }
    return [{ path: ref.slice(STORAGE_SCHEME.length), field }];
  });
}

function parseEntries(listed: readonly unknown[], issues: BundleIssue[]): Candidate[] {
  return listed.flatMap((item, i) => {
    const at = `assets[${i}]`;
    const parsed = BundleEntry.safeParse(item, { error: issueText });
    if (!parsed.success) {
      issues.push(...parsed.error.issues.flatMap((issue) => shapeIssues(at, issue, item)));
      return [];
    }
    const storagePath = parsed.data.storageRef.slice(STORAGE_SCHEME.length);
    return [{ entry: parsed.data, at, storagePath }];
  });
}

/** A problem of an entry's shape; of unknown fields, one for each. */
function shapeIssues(at: string, issue: z.core.$ZodIssue, item: unknown): BundleIssue[] {
  const id: unknown =
    typeof item === "object" && item !== null && Object.hasOwn(item, "id")
      ? (item as { id: unknown }).id
      : undefined;
  const shape = (path: readonly PropertyKey[], message: string): BundleIssue => ({
    code: "INVALID_MANIFEST",
    path: [at, ...path.map(String)].join("."),
    ...(typeof id === "string" && { asset_id: id.slice(0, 200).toWellFormed() }),
    message,
  });
  if (issue.code === "unrecognized_keys") {
    const advice = adviceOnFields(issue);
    return issue.keys.map((key, index) =>
      shape([...issue.path, key.slice(0, 80)], `Unknown field. ${advice[index]}`),
    );
  }
  return [shape(issue.path, `${issue.message}.`)];
}

/** Portable paths, and the first of duplicates (docs/contract/bundles.md#validate). */
function unique(candidates: readonly Candidate[], issues: BundleIssue[]): Candidate[] {
  const ids = new Set<string>();
  const paths = new Set<string>();
  return candidates.filter(({ entry, at }) => {
    const before = issues.length;
    const add = (code: BundleIssue["code"], member: string, message: string) => {
      issues.push({ code, path: `${at}.${member}`, asset_id: entry.id, message });
    };
    if (ids.has(entry.id)) {
      add("DUPLICATE_ASSET_ID", "id", `An earlier entry has the id "${entry.id}".`);
    }
    ids.add(entry.id);
    const problem = portablePathProblem(entry.relativePath);
    if (problem !== undefined) {
      add("INVALID_RELATIVE_PATH", "relativePath", `The path ${problem}.`);
    } else {
      const folded = foldPath(entry.relativePath);
      if (paths.has(folded)) {
        const message = `An earlier entry has the path "${entry.relativePath}". Case is ignored.`;
        add("DUPLICATE_RELATIVE_PATH", "relativePath", message);
      }
      paths.add(folded);
    }
    return issues.length === before;
  });
}

async function checkStored(
  { env, detectType }: ValidationContext,
  { entry, at }: Candidate,
  asset: AssetRow | undefined,
  policy: ChecksumPolicy,
): Promise<BundleIssue[]> {
  if (asset === undefined) {
    throw new Error("an entry without its asset");
  }
  const issues: BundleIssue[] = [];
  const add = (code: BundleIssue["code"], member: string, message: string) => {
    issues.push({ code, path: `${at}.${member}`, asset_id: entry.id, message });
  };
  if (entry.sizeBytes !== asset.size_bytes) {
    const message = `The manifest states ${entry.sizeBytes} bytes, but the file has ${asset.size_bytes}.`;
    add("ASSET_SIZE_MISMATCH", "sizeBytes", message);
  }
  if (essenceOf(entry.mediaType) !== essenceOf(asset.content_type)) {
    const message = `The manifest states ${entry.mediaType}, but the file is ${asset.content_type}.`;
    add("ASSET_MEDIA_TYPE_MISMATCH", "mediaType", message);
  }
  if (policy === "always" && entry.sha256 === undefined) {
    add("CHECKSUM_MISSING", "sha256", "The policy is always, but the entry has no sha256.");
  }
  const withChecksum = policy !== "never" && entry.sha256 !== undefined;
  const { mediaType } = entry;
  const bytes = await inspectBytes(env.FILES, asset, {
    type: { mediaType, detectType },
    withChecksum,
  });
  if (bytes.signatureProblem !== undefined) {
    const message = `The file is not ${mediaType}: ${bytes.signatureProblem}.`;
    add("ASSET_CONTENT_SIGNATURE_MISMATCH", "mediaType", message);
  }
  if (withChecksum && bytes.sha256 !== entry.sha256) {
    const message = `The file's SHA-256 is ${String(bytes.sha256)}.`;
    add("ASSET_CHECKSUM_MISMATCH", "sha256", message);
  }
  return issues;
}

import {
  BUNDLE_SCHEMA,
  type BundleManifest,
  type ComposeBundle,
  STORAGE_SCHEME,
} from "../../contracts/files/bundle-manifest.ts";
import { AppError, type FieldError } from "../../lib/errors/errors.ts";
import { safeFileName } from "../../lib/files/safe-file-name.ts";
import { inOrder } from "./in-order.ts";
import { inspectBytes } from "./inspect-bytes.ts";
import { foldPath, portablePathProblem } from "./portable-path.ts";
import { type BundleContext, storedAssets } from "./stored-assets.ts";

/**
 * A manifest of stored assets with their actual sizes and types, and their checksums if requested
 * (docs/contract/bundles.md#compose). Throws `validation_error` for explicit ids or paths that are
 * duplicates or not portable, `not_found`, `forbidden`.
 */
export async function composeBundle(
  ctx: BundleContext,
  request: ComposeBundle,
): Promise<BundleManifest> {
  const { assets } = request;
  const [ids, paths] = explicitNames(assets);
  const stored = await storedAssets(
    ctx,
    assets.map(({ asset_path: path }, i) => ({ path, field: `assets[${i}].asset_path` })),
  );
  const named = assets.map((item) => {
    const asset = stored.get(item.asset_path);
    if (asset === undefined) {
      throw new Error("an entry without its asset");
    }
    const name = portableName(item.file_name ?? asset.name);
    return {
      item,
      asset,
      id:
        item.id ??
        unused(
          ids,
          slugOf(name),
          (id, suffix) => id + suffix,
          (id) => id,
        ),
      relativePath: item.relative_path ?? unused(paths, name, numbered, foldPath),
    };
  });
  return {
    schema: BUNDLE_SCHEMA,
    bundleId: request.bundle_id,
    assets: await inOrder(named, async ({ item, asset, id, relativePath }) => {
      const mediaType = asset.content_type;
      const sha256 = request.include_checksum
        ? (await inspectBytes(ctx.env.FILES, asset, { withChecksum: true })).sha256
        : null;
      return {
        id,
        relativePath,
        storageRef: STORAGE_SCHEME + asset.path,
        mediaType,
        sizeBytes: asset.size_bytes,
        ...(sha256 !== null && { sha256 }),
        metadata: item.metadata,
      };
    }),
  };
}

/**
 * Ids and paths that callers chose; derived names must differ from them. Throws with every problem
 * at once.
 */
function explicitNames(assets: ComposeBundle["assets"]): [Set<string>, Set<string>] {
  const ids = new Set<string>();
  const paths = new Set<string>();
  const errors: FieldError[] = [];
  for (const [i, { id, relative_path: path }] of assets.entries()) {
    if (id !== undefined) {
      if (ids.has(id)) {
        errors.push({
          field: `assets[${i}].id`,
          message: `"${id}" is the id of an earlier entry.`,
        });
      }
      ids.add(id);
    }
    if (path !== undefined) {
      const field = `assets[${i}].relative_path`;
      const problem = portablePathProblem(path);
      if (problem !== undefined) {
        errors.push({ field, message: `The path ${problem}. Send a portable path.` });
      } else if (paths.has(foldPath(path))) {
        errors.push({
          field,
          message: `"${path}" is the path of an earlier entry. Case is ignored.`,
        });
      }
      paths.add(foldPath(path));
    }
  }
  const [first] = errors;
  if (first !== undefined) {
    throw new AppError("validation_error", `${first.field}: ${first.message}`, { errors });
  }
  return [ids, paths];
}

/** A file's name as one segment of a portable path. */
function portableName(given: string): string {
  return safeFileName(given.replace(/^.*[/\\]/s, ""), "file");
}

function slugOf(name: string): string {
  const dot = name.lastIndexOf(".");
  const slug = (dot > 0 ? name.slice(0, dot) : name)
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return slug === "" ? "asset" : slug;
}

function numbered(name: string, suffix: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) + suffix + name.slice(dot) : name + suffix;
}

/** The name, or the first free one with `-2`, `-3`, … Reserves it. */
function unused(
  taken: Set<string>,
  name: string,
  withSuffix: (name: string, suffix: string) => string,
  fold: (name: string) => string,
): string {
  let free = name;
  for (let number = 2; taken.has(fold(free)); number++) {
    free = withSuffix(name, `-${number}`);
  }
  taken.add(fold(free));
  return free;
}

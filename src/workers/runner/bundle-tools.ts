import type { BundleTools } from "../../contracts/files/bundle-manifest.ts";
import { plainNumbers } from "../../contracts/workflows/plain-numbers.ts";
import { validateBundle } from "../../domain/bundles/validate-bundle.ts";
import { detectType } from "../../formats/detect-type.ts";
import { AppError, type ErrorCode } from "../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { NodeErrorCode } from "../../lib/errors/node-error-guides.ts";
import type { TaskEnv } from "../../platform/env.ts";

/** A refusal by the API fails the node and is never an issue (docs/contract/bundles.md#validate). */
const NODE_CODES: ReadonlyMap<ErrorCode, NodeErrorCode> = new Map<ErrorCode, NodeErrorCode>([
  ["forbidden", "BUNDLE_STORAGE_FORBIDDEN"],
  ["not_found", "BUNDLE_STORAGE_MISSING"],
  ["validation_error", "BUNDLE_INVALID"],
  ["source_changed", "SOURCE_CHANGED"],
]);

/** Validates bundles against the files that a workspace has stored. */
export function createBundleTools(env: TaskEnv, workspaceId: string): BundleTools {
  return {
    async validate(manifest, policy) {
      const plain = plainNumbers(manifest);
      if (!isJsonObject(plain)) {
        throw new NodeError("BUNDLE_INVALID", "The manifest is not a JSON object. Send an object.");
      }
      try {
        const found = await validateBundle({ env, workspaceId, detectType }, plain, policy);
        return { ...found, bundle: withOwnMetadata(found.bundle, manifest) };
      } catch (error) {
        const code = error instanceof AppError ? NODE_CODES.get(error.code) : undefined;
        throw code === undefined ? error : new NodeError(code, (error as AppError).message);
      }
    },
  };
}

type Bundle = Awaited<ReturnType<BundleTools["validate"]>>["bundle"];

/** Numbers of the author's metadata keep their digits (docs/contract/conventions.md#numbers). */
function withOwnMetadata(bundle: Bundle, manifest: JsonValue): Bundle {
  const given =
    isJsonObject(manifest) && Array.isArray(manifest["assets"]) ? manifest["assets"] : [];
  const byPlace = new Map(
    given.filter(isJsonObject).map((item) => [placeOf(item), item["metadata"]] as const),
  );
  return {
    ...bundle,
    assets: bundle.assets.map((entry) => {
      const own = byPlace.get(placeOf(entry));
      return isJsonObject(own) ? { ...entry, metadata: own } : entry;
    }),
  };
}

function placeOf(entry: { readonly [member: string]: unknown }): string {
  return JSON.stringify([entry["id"], entry["relativePath"], entry["storageRef"]]);
}

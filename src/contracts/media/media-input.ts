/** Shared parts of the media inputs: parameters, accepted values and accepted files. */
import * as z from "zod";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { ASSET_TYPES } from "../files/asset-types.ts";
import { exampleMediaFile, type MediaKind, mediaKind } from "./media-kinds.ts";
import { inputParameters } from "../workflows/node-parameters.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const mediaInputParameters = z.strictObject({
  ...inputParameters,
  default: z.string().max(LIMITS.input_address.value).nullish().meta({
    title: "Default",
    description:
      "What to use when a run sends nothing: a public https address, or the path of an asset.",
  }),
});

type Params = z.output<typeof mediaInputParameters>;

/** Extensions that an input of a kind accepts. A table also counts as a document. */
export function extensionsOf(kind: MediaKind): readonly string[] {
  return [...ASSET_TYPES].flatMap(([extension, type]) =>
    type.kind === kind || (kind === "document" && type.kind === "data") ? [extension] : [],
  );
}

/** A submitted value is an address; its target is checked when it is fetched. */
export function parseMediaAddress(
  value: JsonValue,
  kind: MediaKind,
): { value: JsonValue } | { problem: string } {
  return isAddress(value)
    ? { value }
    : {
        problem: `Must be ${mediaKind(kind).noun}: send its asset_path, or a public https address as a JSON string, such as "${exampleMediaFile(kind).url}".`,
      };
}

/** The default if it is an address; a default that is a path is looked up as an asset. */
export function defaultAddress({ default: value }: Params): string | undefined {
  return isAddress(value) ? value : undefined;
}

export function defaultAssetPath({ default: value }: Params): string | undefined {
  return value == null || isAddress(value) ? undefined : value;
}

function isAddress(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\//i.test(value) && value.length <= 2048;
}

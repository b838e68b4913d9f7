import * as z from "zod";
import { BUNDLE_MODES, CHECKSUM_POLICIES } from "../../contracts/files/bundle-manifest.ts";
import { inputParameters, jsonField } from "../../contracts/workflows/node-parameters.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { jsonValueProblem } from "../../lib/json/value-depth.ts";
import { defineNode } from "../define-node.ts";

/** Most issues that a failure's message lists. */
const NAMED_MAX = 5;

export const inputBundleManifest = defineNode({
  type: "input/bundle_manifest",
  version: "1.0",
  name: "Bundle of files",
  description:
    "A manifest of stored files, checked against storage. `bundle` is the manifest with the accepted entries in `assets`, together with `valid`, `issues` and counts.",
  whenToUse:
    "To pass a set of uploaded files to a run. Connect `bundle` to enumerate/json with path `$.assets` to run once for each.",
  subCategory: "files",
  status: "stable",
  icon: "package",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "bundle", type: "json", label: "Bundle" }],
  params: z.strictObject({
    ...inputParameters,
    default: jsonField.nullish().meta({
      title: "Default manifest",
      description: "The manifest to use when a run does not send one.",
    }),
    validation: z.enum(BUNDLE_MODES).default("fail").meta({
      title: "Validation",
      description: "`fail` fails the node on any issue; `warn` skips entries with issues.",
    }),
    verifyChecksum: z.enum(CHECKSUM_POLICIES).default("if_present").meta({
      title: "Checksums",
      description:
        "`always` requires a checksum for every entry; `never` does not read complete files.",
    }),
    allowExternalUrls: z.literal(false).default(false).meta({
      title: "External addresses",
      description: "Not supported: entries name stored files.",
      hidden: true,
    }),
  }),
  role: "input",
  inputKind: "json",
  isRequired: ({ required }) => required,
  defaultValue: ({ default: value }) => value ?? undefined,
  parse: (value) => {
    if (!isJsonObject(value)) {
      return { problem: "Must be a manifest: a JSON object of schema svc.bundle-manifest/v1." };
    }
    const problem = jsonValueProblem(value);
    return problem === undefined ? { value } : { problem: `Cannot be used: ${problem}.` };
  },
  timeLimitMs: 600_000,
  needs: ["bundles"],
  async run(ctx, inputs, { validation, verifyChecksum }) {
    const { bundle, ...found } = await ctx.bundles.validate(inputs.json("value"), verifyChecksum);
    if (!found.valid && validation === "fail") {
      const named = found.issues
        .slice(0, NAMED_MAX)
        .map(({ code, path, message }) => `${code} at ${path}: ${message}`);
      const more = found.issues.length - named.length;
      throw new NodeError(
        "BUNDLE_INVALID",
        `The bundle has ${found.issues.length} issues. ${named.join(" ")}${more > 0 ? ` And ${more} more.` : ""} Fix the manifest, or set validation to warn to skip these entries.`,
      );
    }
    // The metadata of its entries, typed `unknown`, was read from JSON.
    return new Map([["bundle", { ...bundle, ...found } as unknown as JsonValue]]);
  },
});

import {
  defaultAddress,
  defaultAssetPath,
  extensionsOf,
  type MediaKind,
  mediaInputParameters,
  parseMediaAddress,
} from "../contracts/media-input.ts";
import { FileRef } from "../lib/file-ref.ts";
import { defineNode } from "./define-node.ts";

/** What an input for files of a kind says of itself. */
interface MediaInputWords {
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string;
  readonly icon: string;
}

/** An input that takes an uploaded file or a public https address (docs/contract/executions.md#inputs), under a port of its kind's name. */
export function defineMediaInput<K extends MediaKind>(kind: K, words: MediaInputWords) {
  return defineNode({
    type: `input/${kind}`,
    version: "1.0",
    ...words,
    subCategory: "media",
    status: "stable",
    color: "#2563eb",
    inputs: [],
    outputs: [{ name: kind, type: kind, label: words.name }],
    params: mediaInputParameters,
    role: "input",
    inputKind: kind,
    files: { extensions: extensionsOf(kind), isOnly: false, defaultPath: defaultAssetPath },
    isRequired: ({ required }) => required,
    defaultValue: defaultAddress,
    parse: (value) => parseMediaAddress(value, kind),
    needs: ["fetch"],
    timeLimitMs: 150_000,
    async run(ctx, inputs) {
      const submitted = inputs.get("value");
      const file =
        submitted instanceof FileRef ? submitted : await ctx.fetch(inputs.text("value"), kind);
      return new Map([[kind, file]]);
    },
  });
}

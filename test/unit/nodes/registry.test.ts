import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { MEDIA_KIND_NAMES } from "../../../src/contracts/media/media-kinds.ts";
import { IMAGE_VARIANT_NODES } from "../../../src/nodes/ai/image-variants.ts";
import { workerOf } from "../../../src/nodes/define-tools.ts";
import { findNodeType, NODE_TYPES } from "../../../src/nodes/registry.ts";
import { RENDERER_NODES } from "../../../src/nodes/renderer-nodes.ts";

const folder = new URL("../../../src/nodes/", import.meta.url);

/**
 * `utility/json-path.ts` is `utility/json_path`, and `input/media.ts` defines one node for each
 * kind of media, `ai/image-variants.ts` one for each of its entries.
 */
function typesInFolder(): Set<string> {
  return new Set(
    list("").flatMap((category) =>
      category.endsWith(".ts")
        ? []
        : list(`${category}/`).flatMap((file) =>
            file === "media.ts"
              ? MEDIA_KIND_NAMES.map((kind) => `${category}/${kind}`)
              : file === "image-variants.ts"
                ? IMAGE_VARIANT_NODES.map(({ type }) => type)
                : [`${category}/${file.replace(/\.ts$/, "").replaceAll("-", "_")}`],
          ),
    ),
  );
}

function list(below: string): readonly string[] {
  return readdirSync(new URL(below, folder).pathname);
}

test("the registry lists each file of the folder under its type", () => {
  expect(NODE_TYPES.map(({ type }) => type)).toEqual([...typesInFolder()].toSorted());
});

test("the renderer's list has exactly the nodes whose tasks run there", () => {
  const needing = NODE_TYPES.filter(({ needs }) => workerOf(needs) === "renderer");
  expect(RENDERER_NODES.map(({ type }) => type).toSorted()).toEqual(
    needing.map(({ type }) => type),
  );
});

test("an unknown type is not found, including prototype names", () => {
  expect(findNodeType("utility/merge")?.type).toBe("utility/merge");
  for (const type of ["", "constructor", "__proto__", "toString", "utility/none"]) {
    expect(findNodeType(type)).toBeUndefined();
  }
});

test.each(NODE_TYPES.map((node) => [node.type, node] as const))(
  "%s rejects unknown parameters and describes all its own",
  (_type, node) => {
    expect(node.params.safeParse({ surely_not_a_parameter: 1 }).success).toBe(false);
    const { properties = {} } = z.toJSONSchema(node.params, { unrepresentable: "any" });
    for (const [name, property] of Object.entries(properties)) {
      expect((property as { title?: string }).title, name).toBeTruthy();
    }
  },
);

test.each(NODE_TYPES.map((node) => [node.type, node] as const))(
  "%s is documented, has a version and unique port names",
  (_type, node) => {
    expect(node.description.length).toBeGreaterThan(20);
    expect(node.whenToUse.length).toBeGreaterThan(20);
    expect(node.version).toMatch(/^\d+\.\d+$/);
    for (const ports of [node.inputs, node.outputs]) {
      expect(new Set(ports.map(({ name }) => name)).size).toBe(ports.length);
    }
  },
);

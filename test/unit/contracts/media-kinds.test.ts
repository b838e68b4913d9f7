import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MEDIA_KIND_NAMES } from "../../../src/contracts/media/media-kinds.ts";

const ROOT = new URL("../../../", import.meta.url);
const TABLE = "src/contracts/media/media-kinds.ts";

/** Categories of models, stored formats, display texts, elements of SVG, outputs of renders and ports of nodes of sound and video, which a new kind need not change. */
const MAY_NAME_KINDS =
  /^src\/(?:contracts\/models\/(?:capabilities|model)\.ts|(?:nodes|pages|formats|render\/(?:pdf\/artwork|svg)|workers\/(?:renderer|media)|domain\/(?:discovery|datasets|bundles|templates))\/)/;

test("only the table and the nodes list kinds of media", () => {
  const lists = sources("src/")
    .concat(sources("durable-objects/"), sources("queues/"))
    .filter((file) => file !== TABLE && !MAY_NAME_KINDS.test(file))
    .filter((file) => {
      const text = readFileSync(new URL(file, ROOT).pathname, "utf8");
      return MEDIA_KIND_NAMES.filter((kind) => text.includes(`"${kind}"`)).length > 1;
    });
  expect(lists).toEqual([]);
});

function sources(below: string): string[] {
  return readdirSync(new URL(below, ROOT).pathname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => below + file);
}

describe("an additional entry", () => {
  beforeEach(() => {
    vi.resetModules();
    vi.doMock("../../../src/contracts/media/media-kinds.ts", async (original) => {
      const table = await original<typeof import("../../../src/contracts/media/media-kinds.ts")>();
      const hologram: ReturnType<typeof table.mediaKind> = {
        label: "Hologram",
        noun: "a hologram",
        mediaType: "hologram",
        files: { holo: { contentType: "hologram/plain" } },
        input: { description: "A hologram that is sent.", whenToUse: "For holograms." },
        output: { description: "Hands a hologram out.", whenToUse: "For each hologram." },
        icon: { name: "cube", path: "<path/>", shape: "page" },
      };
      // The table is one object shared by all its users.
      Object.assign(table.MEDIA_KINDS, { hologram });
      (table.MEDIA_KIND_NAMES as string[]).push("hologram");
      return table;
    });
  });

  afterEach(() => {
    vi.doUnmock("../../../src/contracts/media/media-kinds.ts");
    vi.resetModules();
  });

  test("is a port type, a stored file, a field of interfaces, two nodes and an example", async () => {
    const { PortType } = await import("../../../src/contracts/workflows/port-type.ts");
    const { ASSET_TYPES, ASSET_KINDS } =
      await import("../../../src/contracts/files/asset-types.ts");
    const { InterfaceField } = await import("../../../src/contracts/workflows/definition.ts");
    const { findNodeType } = await import("../../../src/nodes/registry.ts");
    const { fitInput } = await import("../../../src/engine/values/fit-input.ts");
    const { FileRef } = await import("../../../src/lib/files/file-ref.ts");
    expect(PortType.parse("hologram")).toBe("hologram");
    expect(ASSET_TYPES.get("holo")).toMatchObject({ contentType: "hologram/plain" });
    expect(ASSET_KINDS).toContain("hologram");
    const field = { key: "a", type: "hologram", bind: { node: "n" } };
    expect(InterfaceField.safeParse(field).success).toBe(true);
    expect(findNodeType("input/hologram")).toMatchObject({ inputKind: "hologram" });
    expect(findNodeType("output/hologram")).toMatchObject({ name: "Hologram output" });
    const file = new FileRef({
      key: "ws_1/a.holo",
      name: "a.holo",
      contentType: "hologram/plain",
      sizeBytes: 1,
    });
    const port = { port: "hologram", type: PortType.parse("hologram"), accepts: [] };
    expect(fitInput(file, port)).toBe(file);
    expect(() => fitInput(file, { ...port, type: "image" })).toThrow("but received hologram");
  });

  test("compiles, is bound to a field of its type, and is shown in contract and catalog", async () => {
    const { checkDefinition } =
      await import("../../../src/domain/workflows/definition/check-definition.ts");
    const { buildContract } =
      await import("../../../src/domain/workflows/contract/build-contract.ts");
    const { partsOfPlan } =
      await import("../../../src/domain/workflows/contract/interface-parts.ts");
    const { describeNodeType } = await import("../../../src/domain/catalog/describe-node-type.ts");
    const { findNodeType } = await import("../../../src/nodes/registry.ts");
    const { definition, plan, errors } = checkDefinition({
      nodes: [
        { id: "in", type: "input/hologram", label: "Scene", parameters: {} },
        { id: "out", type: "output/hologram", label: "Shown", parameters: {} },
      ],
      connections: [
        { from: { node: "in", port: "hologram" }, to: { node: "out", port: "hologram" } },
      ],
      interfaces: [
        {
          id: "int_form",
          name: "Form",
          is_default: true,
          fields: [{ key: "scene", type: "hologram", bind: { node: "in" } }],
          outputs: [{ key: "shown", node: "out" }],
        },
      ],
      settings: {},
    });
    expect(errors).toEqual([]);
    if (definition === undefined || plan === undefined) {
      throw new Error("The definition does not compile.");
    }
    expect(partsOfPlan(plan).inputs).toMatchObject([{ type: { inputKind: "hologram" } }]);
    const contract = buildContract({
      workflowId: "wf_0190f3c2a5b07c3e8f00000000000001",
      pinnedVersion: undefined,
      definition,
      plan,
    });
    expect(JSON.stringify(contract)).toContain("https://example.com/hologram.holo");
    expect(contract.outputs).toMatchObject([{ type: "hologram" }]);
    const type = findNodeType("input/hologram");
    expect(type && describeNodeType(type)).toMatchObject({ type: "input/hologram", icon: "cube" });
  });
});

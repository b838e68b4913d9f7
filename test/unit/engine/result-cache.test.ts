/** Which results of other runs an element may take, and what their keys depend on. */
import { describe, expect, it } from "vitest";
import type { CacheOptions } from "../../../src/contracts/runs/cache-options.ts";
import { settledCell } from "../../../src/engine/drive/settled-cell.ts";
import { compile } from "../../../src/engine/compile/compile.ts";
import type { PlanNode } from "../../../src/engine/plan/plan.ts";
import { canTake, filesOf, namedFiles } from "../../../src/engine/reuse/cache-entry.ts";
import { definitionDigest, inputsKey, receivedKey } from "../../../src/engine/reuse/cache-key.ts";
import { cacheableOf, cacheUse } from "../../../src/engine/reuse/cache-mode.ts";
import { encodeSpilled, encodeValue } from "../../../src/engine/values.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";

const WS = "ws_1";

function codeNode(parameters: object, cache?: CacheOptions, id = "codes"): PlanNode {
  const { plan, issues } = compile(
    {
      nodes: [
        { id: "text", type: "input/text", parameters: {} },
        { id, type: "image/code", parameters: { symbology: "qr", ...parameters }, cache },
        { id: "out", type: "output/image", parameters: {} },
      ],
      connections: [
        { from: { node: "text", port: "text" }, to: { node: id, port: "text" } },
        { from: { node: id, port: "image" }, to: { node: "out", port: "image" } },
      ],
      interfaces: [],
      settings: {},
    },
    findNodeType,
  );
  expect(issues).toEqual([]);
  return plan!.nodes.find((node) => node.id === id)!;
}

describe("the mode of a node", () => {
  const modes = [undefined, "off", "read", "read_write"] as const;

  it("[E41] is the lesser of node and run, and a side that says nothing takes the other's", () => {
    const used = modes.map((node) =>
      modes.map((run) => {
        const use = cacheUse("image/code", node && { mode: node }, run && { mode: run });
        return use === undefined ? "off" : use.writes ? "read_write" : "read";
      }),
    );
    expect(used).toEqual([
      ["off", "off", "read", "read_write"],
      ["off", "off", "off", "off"],
      ["read", "off", "read", "read"],
      ["read_write", "off", "read", "read_write"],
    ]);
  });

  it("[E41] has the smaller age of both", () => {
    const age = (node?: number, run?: number) =>
      cacheUse(
        "image/code",
        { mode: "read", ...(node !== undefined && { max_age: node }) },
        { mode: "read", ...(run !== undefined && { max_age: run }) },
      )?.maxAge;
    expect([age(), age(5), age(undefined, 7), age(9, 7)]).toEqual([null, 5, 7, 7]);
  });

  it("[E41] is off for a model's node that does not name one itself, and for a type that is never cached", () => {
    const on = { mode: "read_write" } as const;
    expect(cacheUse("ai/text_generation", undefined, on)).toBeUndefined();
    expect(cacheUse("ai/text_generation", on, undefined)).toEqual({ writes: true, maxAge: null });
    for (const type of ["input/text", "output/image", "utility/media_from_url", "text/template"]) {
      expect(cacheableOf(type)).toBe("never");
      expect(cacheUse(type, on, on)).toBeUndefined();
    }
  });

  it("[E41] on a type that is never cached is the warning CACHE_NO_EFFECT", () => {
    const compiled = (cache?: CacheOptions) =>
      compile(
        {
          nodes: [
            { id: "text", type: "input/text", parameters: {}, cache },
            { id: "out", type: "output/text", parameters: {} },
          ],
          connections: [
            { from: { node: "text", port: "text" }, to: { node: "out", port: "text" } },
          ],
          interfaces: [],
          settings: {},
        },
        findNodeType,
      );
    expect(compiled({ mode: "read" }).warnings).toMatchObject([
      { code: "CACHE_NO_EFFECT", path: "nodes[0].cache", node_id: "text" },
    ]);
    expect(compiled({ mode: "off" }).warnings).toEqual([]);
    expect(compiled().warnings).toEqual([]);
  });
});

describe("a key", () => {
  const keyOf = (node: PlanNode, received = "r", workspace = WS) =>
    receivedKey(workspace, definitionDigest(node), received);
  const plain = codeNode({});

  it("[E42] depends on the workspace, each parameter and what was received", () => {
    const keys = [
      keyOf(plain),
      keyOf(codeNode({ size: 64 })),
      keyOf(codeNode({ symbology: "code128" })),
      keyOf(plain, "s"),
      keyOf(plain, "r", "ws_2"),
      keyOf({ ...plain, type: { ...plain.type, version: "99.0.0" } }),
      // The same text as a digest of another kind: its executor has made it.
      inputsKey(WS, definitionDigest(plain), "r"),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every((key) => /^[0-9a-f]{64}$/.test(key))).toBe(true);
  });

  it("[E42] does not depend on ids, labels, modes, or whether a default is written out", () => {
    const size = (plain.params as { size: number }).size;
    expect(keyOf(codeNode({ size }))).toBe(keyOf(plain));
    expect(keyOf(codeNode({}, { mode: "read" }, "other"))).toBe(keyOf(plain));
  });

  it("[E42] that leaves out a parameter, or the workspace, would be found by these tests", () => {
    const without = (node: PlanNode) => keyOf({ ...node, params: {} });
    expect(without(codeNode({ size: 64 }))).toBe(without(plain));
    expect(receivedKey("", definitionDigest(plain), "r")).not.toBe(keyOf(plain));
  });
});

describe("an entry", () => {
  const file = new FileRef({
    key: `${WS}/runs/run_1/token/code.png`,
    name: "code.png",
    contentType: "image/png",
    sizeBytes: 9_000,
  });
  const of = (...values: string[]) => values.map((value, at) => ({ port: `p${at}`, value }));

  it("[E42] is taken if it has every port that is read, and is young enough", () => {
    const kept = { unread_ports: ["svg"], createdMs: 10_000 };
    const takes = (unread_ports: string[], max_age: number | null, nowMs = 20_000) =>
      canTake(kept, { unread_ports, max_age }, nowMs);
    expect(takes(["svg"], null)).toBe(true);
    expect(takes(["svg", "image"], 10)).toBe(true);
    expect(takes([], null)).toBe(false);
    expect(takes(["svg"], 9)).toBe(false);
  });

  it("[E42] names the stored objects that its files need, each once", () => {
    const packed = (offset: number) =>
      file.with({ pack: { key: `${WS}/runs/run_1/packs/1`, offset } });
    expect(
      filesOf(
        WS,
        "run_1",
        of(encodeValue(file), encodeValue(packed(0)), encodeValue(packed(9_000)), encodeValue(1)),
      ),
    ).toEqual({
      objects: [
        { key: file.key, bytes: 9_000 },
        { key: `${WS}/runs/run_1/packs/1`, bytes: 18_000 },
      ],
      bytes: 27_000,
      named: [],
      spilled: [],
    });
  });

  it("[E42] with a file of another workspace, of no run, or with a damaged value is none", () => {
    for (const key of ["ws_2/runs/run_1/x", `${WS}/assets/a`, `${WS}2/runs/run_1/x`, ""]) {
      expect(filesOf(WS, "run_1", of(encodeValue(file.with({ key }))))).toBeUndefined();
      expect(filesOf(WS, "run_1", of(encodeSpilled(file.with({ key }))))).toBeUndefined();
    }
    expect(filesOf(WS, "run_1", of('["f",{'))).toBeUndefined();
    expect(filesOf("", "run_1", of(encodeValue(file)))).toBeUndefined();
  });
});

describe("files that only JSON names", () => {
  const own = (name: string) => `${WS}/runs/run_1/token/${name}`;
  const named = (value: JsonValue) => namedFiles(WS, "run_1", value);

  it("[E42] are found at any depth, each once, without their queries", () => {
    const manifest = {
      schema: "pages",
      document: { storage_ref: `storage://${own("a.pdf")}` },
      pages: [
        { storage_ref: `storage://${own("1.png")}?v=1` },
        { deeper: [[`storage://${own("1.png")}`]] },
      ],
    };
    expect(named(manifest)?.toSorted()).toEqual([own("1.png"), own("a.pdf")]);
    const stored = [{ port: "manifest", value: encodeValue(manifest) }];
    expect(filesOf(WS, "run_1", stored)?.named.toSorted()).toEqual([own("1.png"), own("a.pdf")]);
  });

  it("[E42] of assets, of other workspaces and within a text are none", () => {
    expect(
      named([
        "storage://pictures/a.png",
        `storage://${WS}2/runs/run_1/token/a.png`,
        `see storage://${own("a.png")}`,
        own("a.png"),
        1,
        null,
        true,
      ]),
    ).toEqual([]);
  });

  it("[E42] are found however their names are spelled, and a text that is cut short has none and is not read", () => {
    const of = (value: string) => filesOf(WS, "run_1", [{ port: "json", value }]);
    const spelled = [
      `"storage://${own("a.png")}"`,
      `"storage:\\/\\/${own("a.png")}"`,
      `"\\u0073torage://${own("a.png")}"`,
    ];
    for (const text of spelled) {
      expect(of(`["j",[1.50,${text}]]`)?.named, text).toEqual([own("a.png")]);
    }
    expect(of('["j",{"a":1.50,"b":"x"}]')?.named).toEqual([]);
    expect(of('["j",{"a":1.50,"b":"]')).toBeUndefined();
  });

  it("[E42] of another run make that it is not kept", () => {
    const foreign = [`storage://${WS}/runs/run_12/token/a.png`];
    expect(named(foreign)).toBeUndefined();
    expect(filesOf(WS, "run_1", [{ port: "json", value: encodeValue(foreign) }])).toBeUndefined();
  });

  it("[E42] are found in deep and in wide values", () => {
    let deep: JsonValue = `storage://${own("a.png")}`;
    for (let depth = 0; depth < 50_000; depth++) {
      deep = [deep];
    }
    expect(named(deep)).toEqual([own("a.png")]);
    const wide = Array.from({ length: 300_000 }, () => "x");
    expect(named([...wide, `storage://${own("b.png")}`])).toEqual([own("b.png")]);
  });
});

describe("an element from the cache", () => {
  const node = codeNode({});
  const reused = { execution: "run_1", milliCredits: 20, isCached: true } as const;
  const outcome = { kind: "ok", outputs: [["image", encodeValue("x")]] } as const;
  const onClaim = () => {};

  it("[E43] is charged nothing, whatever its report claims, and has no attempt and no time", () => {
    for (const charge of [undefined, { milli_credits: 20, usage: null }]) {
      const reported = {
        id: 1,
        node: node.index,
        element: 0,
        outcome: { ...outcome, reused, ...(charge && { charge }) },
        work: { attempts: 1, durationMs: 5 },
      };
      expect(settledCell(node, reported, { onClaim })).toMatchObject({
        status: "ok",
        charge: { milliCredits: 0, quantity: null },
        reused,
      });
      expect(settledCell(node, reported, { onClaim }).work).toBeUndefined();
    }
  });

  it("[E43] that was worked out is charged", () => {
    const cell = settledCell(node, { id: 1, node: node.index, element: 0, outcome }, { onClaim });
    expect(cell.charge?.milliCredits).toBe(node.costMilliCredits);
    expect(cell.charge?.milliCredits).toBeGreaterThan(0);
  });
});

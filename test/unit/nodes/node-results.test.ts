/**
 * A change of what a node returns raises its version (`version` in src/nodes/define-roles.ts). `node-versions.test.ts`
 * sees what a node declares; here nodes run on fixed inputs, and the digests of what they return are stored by type and
 * version. `UPDATE_NODE_RESULTS=1 npx vitest run --project unit test/unit/nodes/node-results.test.ts` writes them again,
 * when every node with other results has its new version.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scheduler } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { sha256Hex } from "../../../src/lib/sha256.ts";
import { NODE_TYPES, NODES_BY_TYPE } from "../../../src/nodes/registry.ts";
import { INLINE_CASES } from "../../support/results/inline-cases.ts";
import { TASK_CASES } from "../../support/results/task-cases.ts";
import { TABLE_CASES } from "../../support/results/table-cases.ts";
import { WITHOUT_CASES } from "../../support/results/without-cases.ts";
import {
  contractFaults,
  contractsOfPorts,
  namedIn,
} from "../../support/results/contract-faults.ts";
import {
  type NodeResults,
  resultFaults,
  unrecorded,
} from "../../support/results/compare-results.ts";
import { canonicalResultOf, type NodeCase } from "../../support/results/run-case.ts";

const FILE = join(import.meta.dirname, "../../golden/node-results.json");

const LISTS = [INLINE_CASES, TABLE_CASES, TASK_CASES];
const CASES: ReadonlyMap<string, readonly NodeCase[]> = new Map(
  LISTS.flatMap((list) => Object.entries(list)),
);

/** What each case returns now: its canonical JSON by `type@version` and the name of the case. */
const made: Record<string, Record<string, string>> = {};
const now: Record<string, Record<string, string>> = {};

beforeAll(async () => {
  // The tools for sound give their turn away with it, as Workers do; Node has it in a module.
  vi.stubGlobal("scheduler", scheduler);
  for (const type of NODE_TYPES) {
    const key = `${type.type}@${type.version}`;
    for (const each of CASES.get(type.type) ?? []) {
      const result = await canonicalResultOf(type, each);
      (made[key] ??= {})[each.name] = result;
      (now[key] ??= {})[each.name] = await sha256Hex(result);
    }
  }
});

afterAll(() => {
  vi.unstubAllGlobals();
});

describe("the results of a node", () => {
  it("are those that are stored under its version", async () => {
    if (process.env["UPDATE_NODE_RESULTS"] === "1") {
      await writeFile(FILE, `${JSON.stringify(now, null, 2)}\n`);
      return;
    }
    const kept = JSON.parse(await readFile(FILE, "utf8")) as NodeResults;
    expect(resultFaults(kept, now)).toEqual([]);
    expect(unrecorded(kept, now)).toEqual([]);
  });

  it.each(NODE_TYPES.map(({ type }) => type))(
    "of %s are stored, or the reason is listed",
    (type) => {
      expect({ type, hasCases: CASES.has(type) }).toEqual({
        type,
        hasCases: !Object.hasOwn(WITHOUT_CASES, type),
      });
    },
  );

  it("are of known types, and each case of a type has a name of its own", () => {
    const listed = [...LISTS, WITHOUT_CASES].flatMap((list) => Object.keys(list));
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((type) => !NODES_BY_TYPE.has(type))).toEqual([]);
    for (const [type, cases] of CASES) {
      expect(new Set(cases.map(({ name }) => name)).size, type).toBe(cases.length);
      expect(cases.length, type).toBeGreaterThan(0);
    }
  });

  // A case whose inputs are wrong would compare the same failure forever.
  it("are a failure only where the case says so", () => {
    const wrong = Object.entries(made).flatMap(([key, results]) =>
      Object.entries(results).flatMap(([name, result]) =>
        /^\{"(?:failed|rejected)":/.test(result) === /\b(?:fails|is rejected)\b/.test(name)
          ? []
          : [`${key}: ${name}: ${result.slice(0, 200)}`],
      ),
    );
    expect(wrong).toEqual([]);
  });
});

/** Faults of the documents in what the cases of a type return, by the contracts of its ports. */
function documentFaults(key: string, results: Readonly<Record<string, string>>): readonly string[] {
  const contracts = contractsOfPorts(NODES_BY_TYPE.get(key.split("@", 1)[0] ?? ""));
  return Object.entries(results).flatMap(([name, result]) => {
    const outputs = JSON.parse(result) as Readonly<Record<string, JsonValue>>;
    return Object.entries(outputs).flatMap(([port, value]) =>
      contractFaults(value, contracts.get(port)).map(
        (fault) => `${key}, ${name}, ${port}: ${fault}`,
      ),
    );
  });
}

describe("the documents of a node", () => {
  it("meet the contracts of their ports, and every contract of a port of sound is met by one", () => {
    expect(Object.entries(made).flatMap(([key, results]) => documentFaults(key, results))).toEqual(
      [],
    );
    const met = new Set(
      Object.values(made).flatMap((results) =>
        Object.values(results).flatMap((result) =>
          namedIn(JSON.parse(result) as JsonValue).map(({ ref }) => ref),
        ),
      ),
    );
    for (const ref of [
      "svc.audio-processing-report/v1",
      "svc.audio-quality-report/v1",
      "svc.audio-timeline/v1",
      "svc.dubbing-manifest/v1",
      "svc.quality-check/v1",
    ]) {
      expect(met).toContain(ref);
    }
  });

  it("with a member more, less or of another type, at any depth, are found", () => {
    let planted = 0;
    for (const [key, results] of Object.entries(made).filter(([type]) =>
      type.startsWith("audio/"),
    )) {
      const contracts = contractsOfPorts(NODES_BY_TYPE.get(key.split("@", 1)[0] ?? ""));
      for (const [port, value] of Object.entries(JSON.parse(Object.values(results)[0] ?? "{}"))) {
        const ref = contracts.get(port);
        if (ref !== undefined) {
          const given = value as { readonly [name: string]: JsonValue };
          const { checks, schema, ...rest } = given;
          const faulty: readonly JsonValue[] = [
            { ...given, planted: 1 },
            { ...rest, ...(checks !== undefined && { checks }) },
            { ...given, schema: "svc.quality-policy/v1" },
            checks === undefined ? { ...given, samples: "9" } : { ...given, checks: [{ id: 1 }] },
            Object.fromEntries(Object.entries(given).slice(1)),
          ];
          for (const fault of faulty) {
            expect(contractFaults(fault, ref), `${key} ${port}`).not.toEqual([]);
            planted += 1;
          }
          expect(schema).toBe(ref);
        }
      }
    }
    expect(planted).toBeGreaterThan(40);
  });
});

describe("a result that differs", () => {
  const kept: NodeResults = { "a/b@1.0": { one: "11", two: "22" } };

  it.each<[what: string, changed: NodeResults, faults: number]>([
    ["under the same version is reported", { "a/b@1.0": { one: "11", two: "33" } }, 1],
    ["under a higher second number is reported", { "a/b@1.1": { one: "11", two: "33" } }, 1],
    ["under a higher first number is not", { "a/b@2.0": { one: "11", two: "33" } }, 0],
    ["not at all is not", kept, 0],
  ])("%s", (_what, changed, faults) => {
    const found = resultFaults(kept, changed);
    expect(found).toHaveLength(faults);
    expect(found.filter((fault) => !/for: two\. Raise the first number/.test(fault))).toEqual([]);
  });

  it("is reported if it is new, or if its case is gone", () => {
    expect(unrecorded(kept, { "a/b@1.0": { one: "11", three: "33" } })).toEqual([
      expect.stringMatching(/^a\/b@1\.0: three is not recorded/),
      expect.stringMatching(/^a\/b@1\.0: two is recorded, and there is no such case/),
    ]);
  });
});

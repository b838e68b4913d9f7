/** Manifests of bundles with hostile values in every place, against real storage. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { BundleValidation } from "../../../src/contracts/files/bundle-manifest.ts";
import { detectType } from "../../../src/formats/detect-type.ts";
import { validateBundle } from "../../../src/domain/bundles/validate-bundle.ts";
import { AppError } from "../../../src/lib/errors/errors.ts";
import { call, type Caller, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { fuzzReader, type ReaderFuzz } from "../../support/fuzz/fuzz-reader.ts";
import { hostileJson } from "../../support/fuzz/hostile-values.ts";
import { testInProof } from "../../support/in-proof.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";

type Manifest = Readonly<Record<string, unknown>>;
const EXECUTIONS = Number((env as unknown as { FUZZ_EXECUTIONS: number }).FUZZ_EXECUTIONS) / 10;
const REFUSALS = new Set(["validation_error", "not_found", "forbidden"]);
const PATHS = [
  "a.csv",
  "A.CSV",
  "a/b.csv",
  "../x",
  "a//b",
  "/abs",
  "c:\\x",
  "CON.txt",
  "a/nul",
  "trail.",
  "trail ",
  "e\u0301.csv",
  "\u0000",
  ".",
  "x".repeat(600),
  "..",
  "a/../b",
  "é.csv",
  "\u202egpj.exe",
  "\ud800",
];

let caller: Caller;
let good: { assets: Record<string, unknown>[] };
let foreign: string[];

beforeAll(async () => {
  caller = await newCaller();
  const paths = await Promise.all(
    ["a.csv", "b.csv"].map(async (name) => (await upload(caller, name, "a,b\n1,2\n")).json.path),
  );
  const composed = await call("POST", "/api/v1/bundle-manifests/compose", {
    token: caller.token,
    json: { bundle_id: "b", assets: paths.map((asset_path: string) => ({ asset_path })) },
  });
  good = composed.json;
  const theirs = await upload(await newCaller(), "theirs.csv", "secret,b\n1,2\n");
  foreign = [
    `storage://${theirs.json.path}`,
    "storage://assets/none.csv",
    "storage://",
    "file:///etc/passwd",
  ];
});

function hostile(random: SeededRandom): unknown {
  try {
    return JSON.parse(hostileJson(random, foreign));
  } catch {
    return null;
  }
}

/** A valid manifest with a few values exchanged, members added and entries duplicated. */
function draw(random: SeededRandom): Manifest {
  const manifest = structuredClone(good) as unknown as Record<string, unknown>;
  const entries = manifest["assets"] as Record<string, unknown>[];
  for (let changes = random.int(1, 3); changes > 0; changes--) {
    const entry = random.pick(entries);
    const member = random.pick(Object.keys(good.assets[0]!));
    switch (random.below(6)) {
      case 0:
        manifest[random.pick(["schema", "bundleId", "assets", "__proto__", "more"])] =
          hostile(random);
        break;
      case 1:
        entry[member] = hostile(random);
        break;
      case 2:
        entry["relativePath"] = random.pick(PATHS);
        break;
      case 3:
        entries.push(structuredClone(entry));
        break;
      case 4:
        entry[random.pick(["metadata", "__proto__", "extra", "sha256", "sizeBytes"])] =
          hostile(random);
        break;
      default:
        delete entry[member];
    }
  }
  return manifest;
}

type Read = (manifest: Manifest) => Promise<BundleValidation>;
const readTruly: Read = (manifest) =>
  validateBundle({ env, workspaceId: caller.workspaceId, detectType }, manifest, "always");

const fuzzOf = (read: Read, executions: number): ReaderFuzz<Manifest, BundleValidation> => ({
  name: "bundle manifests",
  seed: 20_261_120,
  executions,
  draw,
  read,
  isRefusal: (error) => error instanceof AppError && REFUSALS.has(error.code),
  judge(manifest, result) {
    if (result === undefined) {
      return undefined;
    }
    const supplied = Array.isArray(manifest["assets"]) ? manifest["assets"] : [];
    const { bundle, asset_count, supplied_asset_count, valid, issues } = result;
    const ids = new Set(bundle.assets.map(({ id }) => id));
    const folded = new Set(bundle.assets.map(({ relativePath }) => relativePath.toLowerCase()));
    const rules: readonly (readonly [boolean, string])[] = [
      [BundleValidation.safeParse(result).success, "its answer is not of its own shape"],
      [JSON.stringify(result).isWellFormed(), "its answer holds half a character"],
      [valid === (issues.length === 0), "valid and issues disagree"],
      [asset_count === bundle.assets.length, "the count is not that of the list"],
      [supplied_asset_count === supplied.length, "the supplied count is wrong"],
      [asset_count === supplied.length || !valid, "an entry went without an issue"],
      [ids.size === asset_count && folded.size === asset_count, "an id or a path is there twice"],
      [bundle.assets.every(({ sha256 }) => sha256 !== undefined), "an entry has no checksum"],
      [
        bundle.assets.every((entry) =>
          good.assets.some(({ storageRef }) => storageRef === entry.storageRef),
        ),
        "an entry of storage that is not there or not ours",
      ],
      [
        bundle.assets.every(
          ({ relativePath: path }) =>
            !/(?:^|\/)\.{0,2}(?:\/|$)|\\|:|\p{Cc}|[. ](?:\/|$)/u.test(path),
        ),
        "a path that is not portable",
      ],
    ];
    return rules.find(([holds]) => !holds)?.[1];
  },
});

it("are rejected or validated, never trusted", { timeout: 600_000 }, async ({ annotate }) => {
  const report = await fuzzReader(fuzzOf(readTruly, EXECUTIONS));
  // The stderr of a test in workerd is not shown.
  await annotate(report.text);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 50);
});

testInProof("and the fuzzer detects planted faults", async () => {
  const forgetful = await fuzzReader(
    fuzzOf(async (manifest) => {
      const result = await readTruly(manifest);
      const issues = result.issues.filter(({ code }) => code !== "DUPLICATE_RELATIVE_PATH");
      return { ...result, issues, valid: issues.length === 0 };
    }, 300),
  );
  const crashing = await fuzzReader(
    fuzzOf((manifest) => {
      (manifest["assets"] as { relativePath: string }[]).forEach((entry) =>
        entry.relativePath.normalize(),
      );
      return readTruly(manifest);
    }, 300),
  );
  const trusting = await fuzzReader(
    fuzzOf(async (manifest) => {
      const result = await readTruly({ ...manifest, assets: good.assets });
      const listed = Array.isArray(manifest["assets"]) ? manifest["assets"].length : 0;
      return { ...result, supplied_asset_count: listed };
    }, 300),
  );
  const text = (found: { findings: readonly { problem: string }[] }) =>
    found.findings.map(({ problem }) => problem).join("\n");
  expect(text(forgetful)).toMatch(/went without an issue/);
  expect(text(crashing)).toMatch(/threw TypeError/);
  expect(text(trusting)).toMatch(/went without an issue|valid and issues/);
});

/** The command line as a user runs it, on the Node of the machine, against a service that booted like `npm run dev`. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningService, startService } from "../support/node/start-service.ts";

const CLI = fileURLToPath(new URL("../../scripts/cli.mjs", import.meta.url));

let service: RunningService;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "edgeloom-cli-"));
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  readonly json: any;
}

/** Runs the CLI. A plain `node` first: the package's `bin` may not depend on the Node that it brings. */
function cli(...args: string[]): Promise<Ended> {
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((part) => !part.includes("node_modules"))
    .join(":");
  const env = {
    ...process.env,
    PATH: path,
    EDGELOOM_CREDENTIALS: join(service.directory, "credentials.json"),
  };
  return new Promise((resolve) => {
    execFile("node", [CLI, ...args], { env, encoding: "utf8" }, (error, out, err) => {
      const isJson = out.startsWith("{");
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, out, err, json: isJson ? JSON.parse(out) : undefined });
    });
  });
}

describe("the command line", () => {
  test("makes an organisation, a workspace on a plan of its own, and a key that it revokes", async () => {
    const organization = await cli("orgs", "create", "--name", "Acme");
    const workspace = await cli(
      "workspaces",
      "create",
      "--org",
      organization.json.id,
      "--name",
      "W",
    );
    const limits = join(folder, "limits.json");
    await writeFile(limits, `{"max_concurrent_executions": 2}`);
    expect((await cli("plans", "put", "tiny", limits)).json.limits.max_concurrent_executions).toBe(
      2,
    );
    expect((await cli("workspaces", "plan", workspace.json.id, "tiny")).json.plan).toBe("tiny");
    const key = await cli(
      "keys",
      "create",
      "--workspace",
      workspace.json.id,
      "--name",
      "K",
      "--scopes",
      "workflows:read",
      "--agent",
    );
    expect(key.json).toMatchObject({ scopes: ["workflows:read"], is_agent: true });
    expect((await cli("keys", "revoke", key.json.id)).code).toBe(0);
  });

  test("lists, shows and publishes workflows, submits a run, watches it and reads its result", async () => {
    const list = await cli("workflows", "list", "--limit", "100");
    const sample = list.json.data.find(
      (workflow: { name: string }) => workflow.name === "Greeting card",
    );
    const shown = await cli("workflows", "get", sample.id);
    expect(shown.json.execution_contract.primary.example.workflow).toBe(sample.id);
    expect((await cli("workflows", "publish", sample.id)).json.version).toBe(sample.version);
    const submitted = await cli(
      "run",
      "submit",
      sample.id,
      "--input",
      "name=Ada=B",
      "--json",
      `link="https://example.com/x"`,
      "--watch",
    );
    expect([submitted.code, submitted.json.status]).toEqual([0, "completed"]);
    expect(submitted.err).toMatch(/completed 100 %/);
    const result = await cli("run", "result", submitted.json.id);
    expect(JSON.stringify(result.json.result)).toContain("Ada=B");
    expect((await cli("run", "get", submitted.json.id)).json.id).toBe(submitted.json.id);
  });

  test("estimates, grants credits, shows the plan and the ledger, and cancels", async () => {
    const list = await cli("workflows", "list", "--limit", "100");
    const sample = list.json.data.find(
      (workflow: { name: string }) => workflow.name === "Greeting card",
    );
    const given = [sample.id, "--input", "name=Ada", "--json", `link="https://example.com/x"`];
    const estimate = await cli("workflows", "estimate", ...given);
    expect(estimate.json).toMatchObject({ is_exact: true, sufficient: true });
    const run = await cli("run", "submit", ...given, "--watch");
    expect(run.json.credits_used).toBe(estimate.json.estimated_credits);
    const workspace = service.credentials.workspace_id;
    const grant = [
      "credits",
      "grant",
      "--workspace",
      workspace,
      "--milli",
      "5",
      "--key",
      "cli-grant-1",
    ];
    expect((await cli(...grant)).json).toMatchObject({ milli_credits: 5 });
    const ledger = await cli("ledger", workspace, "--limit", "1");
    expect(ledger.json).toMatchObject({
      data: [{ kind: "grant", milli_credits: 5 }],
      has_more: true,
    });
    expect((await cli("plan")).json).toMatchObject({ plan_code: "dev" });
    const late = await cli("run", "cancel", run.json.id);
    expect([late.code, JSON.parse(late.err).code]).toEqual([1, "already_terminal"]);
  });

  test("keeps one token for the hour it lives, readable by its owner only", async () => {
    const first = await cli("token");
    expect(first.out.trim().split(".")).toHaveLength(3);
    expect((await cli("token")).out).toBe(first.out);
    const path = join(service.directory, "cli-token.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    // A service that was set up anew refuses it; the CLI gets another without a word.
    await writeFile(
      path,
      (await readFile(path, "utf8")).replace(first.out.trim(), "stale.stale.stale"),
    );
    expect((await cli("workflows", "list")).code).toBe(0);
  });

  test("prints problems on stderr with exit code 1, and its usage with 2", async () => {
    const missing = await cli("workflows", "get", `wf_${"0".repeat(32)}`);
    expect([missing.code, missing.out, JSON.parse(missing.err).code]).toEqual([1, "", "not_found"]);
    for (const args of [
      ["nonsense"],
      ["orgs", "create"],
      ["run", "get"],
      ["--bogus"],
      ["constructor"],
    ]) {
      const ended = await cli(...args);
      expect([ended.code, ended.err.includes("Usage:")], args.join(" ")).toEqual([2, true]);
    }
    expect((await cli("--help")).out).toContain("Usage:");
  });
});

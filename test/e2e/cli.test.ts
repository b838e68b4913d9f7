/** The command line as a user runs it, on the Node of the machine, against a service that booted like `npm run dev`. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";
import { testInProof, testOfOneSize as test } from "../support/in-proof.ts";

const CLI = fileURLToPath(new URL("../../scripts/cli.mjs", import.meta.url));
const HOST = fileURLToPath(new URL("../support/node/cli-host.mjs", import.meta.url));

let service: SharedService;
let folder: string;
let host: ChildProcessWithoutNullStreams;
const waiting = new Map<number, (ended: Omit<Ended, "json">) => void>();

beforeAll(async () => {
  service = await sharedService("samples");
  folder = await mkdtemp(join(tmpdir(), "edgeloom-cli-"));
  await writeFile(join(folder, "credentials.json"), JSON.stringify(service.credentials));
  host = spawn("node", [HOST], { env: environment() });
  createInterface({ input: host.stdout }).on("line", (line) => {
    const { id, ...ended } = JSON.parse(line) as Omit<Ended, "json"> & { id: number };
    waiting.get(id)?.(ended);
    waiting.delete(id);
  });
});
afterAll(async () => {
  host?.kill();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  readonly json: any;
}

/** With the machine's `node`: the package's `bin` must not depend on the package's own Node. */
function environment(): NodeJS.ProcessEnv {
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((part) => !part.includes("node_modules"))
    .join(":");
  return {
    ...process.env,
    PATH: path,
    EDGELOOM_CREDENTIALS: join(folder, "credentials.json"),
  };
}

/** Runs the CLI in a thread of one process, which takes a tenth of the time of a process. */
async function cli(...args: string[]): Promise<Ended> {
  const id = waiting.size === 0 ? 1 : Math.max(...waiting.keys()) + 1;
  const ended = new Promise<Omit<Ended, "json">>((resolve) => {
    waiting.set(id, resolve);
  });
  host.stdin.write(`${JSON.stringify({ id, args, env: environment() })}\n`);
  return withJson(args, await ended);
}

/** Runs the CLI as a user does, in a process of its own. */
function cliProcess(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile("node", [CLI, ...args], { env: environment() }, (error, out, err) => {
      resolve(withJson(args, { code: error === null ? 0 : Number(error.code), out, err }));
    });
  });
}

function withJson(args: readonly string[], ended: Omit<Ended, "json">): Ended {
  // Each event is a JSON object on its own line.
  const isJson = args.includes("--json") && ended.out.startsWith("{") && !args.includes("events");
  return { ...ended, json: isJson ? JSON.parse(ended.out) : undefined };
}

describe("the command line", () => {
  testInProof(
    "creates an organization, a workspace with its own plan, and a key, and revokes the key",
    async () => {
      const organization = await cliProcess("orgs", "create", "--name", "Acme", "--json");
      const workspace = await cli(
        "workspaces",
        "create",
        "--org",
        organization.json.id,
        "--name",
        "W",
        "--json",
      );
      const limits = join(folder, "limits.json");
      await writeFile(limits, `{"max_concurrent_executions": 2}`);
      expect(
        (await cli("plans", "put", "tiny", limits, "--json")).json.limits.max_concurrent_executions,
      ).toBe(2);
      expect(
        (await cli("workspaces", "plan", workspace.json.id, "--plan", "tiny", "--json")).json.plan,
      ).toBe("tiny");
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
        "--json",
      );
      expect(key.json).toMatchObject({ scopes: ["workflows:read"], is_agent: true });
      expect((await cli("keys", "revoke", key.json.id)).code).toBe(0);
    },
  );

  test("adds, lists, shows, checks and removes a provider, and sets, lists and removes a default, without ever showing a key", async () => {
    const at = ["--workspace", service.credentials.workspace_id];
    const key = "sk-MARKER-of-the-shell";
    const file = join(folder, "provider.json");
    await writeFile(file, JSON.stringify({ kind: "fal", api_key: key, max_concurrency: 3 }));
    const seen: Ended[] = [];
    const say = async (...args: string[]) => {
      const ended = await cli(...args, ...at);
      seen.push(ended);
      return ended;
    };
    const added = await say("providers", "add", "mine", file, "--json");
    expect(added.json).toMatchObject({
      id: "mine",
      kind: "fal",
      scope: "workspace",
      has_api_key: true,
      max_concurrency: 3,
    });
    expect((await say("providers", "get", "mine", "--json")).json).toEqual(added.json);
    expect((await say("providers", "list")).out).toMatch(/^mine +fal +workspace +true +true/m);
    // Its models are the workspace's from now on.
    const chosen = ["text_to_image", "fal-flux-schnell"];
    const set = await say("models", "default", "set", ...chosen, "--json");
    expect(set.json).toEqual({ capability: chosen[0], model: chosen[1] });
    expect((await say("models", "default", "list", "--json")).json.data).toEqual([set.json]);
    expect((await say("models", "default", "remove", "text_to_image")).code).toBe(0);
    expect((await say("models", "default", "list", "--json")).json.data).toEqual([]);
    // fal has no call that costs nothing.
    const check = await say("providers", "check", "mine");
    expect([check.code, check.err]).toEqual([1, expect.stringContaining("feature_disabled")]);
    await writeFile(file, JSON.stringify({ kind: "fal", api_key: `${key}\n` }));
    const refused = await say("providers", "add", "mine", file);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("api_key")]);
    expect((await say("providers", "remove", "mine")).code).toBe(0);
    expect((await say("providers", "get", "mine")).err).toContain("not_found");
    expect((await say("providers", "list", "--json")).json.total_count).toBe(0);
    expect(seen.filter(({ out, err }) => (out + err).includes("MARKER"))).toEqual([]);
  });

  test("lists, shows and publishes workflows, submits a run, watches it and reads its result", async () => {
    const list = await cli("workflows", "list", "--limit", "100", "--json");
    const sample = list.json.data.find(
      (workflow: { name: string }) => workflow.name === "Greeting card",
    );
    const shown = await cli("workflows", "get", sample.id, "--json");
    expect(shown.json.execution_contract.primary.example.workflow).toBe(sample.id);
    expect((await cli("workflows", "publish", sample.id, "--json")).json.version).toBe(
      sample.version,
    );
    const submitted = await cli(
      "runs",
      "submit",
      sample.id,
      "--input",
      "name=Ada=B",
      "--value",
      `link="https://example.com/x"`,
      "--watch",
      "--json",
    );
    expect([submitted.code, submitted.json.status]).toEqual([0, "completed"]);
    expect(submitted.err).toMatch(/completed 100 %/);
    const result = await cli("runs", "result", submitted.json.id, "--json");
    expect(JSON.stringify(result.json.result)).toContain("Ada=B");
    expect((await cli("runs", "get", submitted.json.id, "--json")).json.id).toBe(submitted.json.id);
  });

  testInProof("estimates, grants credits, shows the plan and the ledger, and cancels", async () => {
    const list = await cli("workflows", "list", "--limit", "100", "--json");
    const sample = list.json.data.find(
      (workflow: { name: string }) => workflow.name === "Greeting card",
    );
    const given = [
      sample.id,
      "--input",
      "name=Ada",
      "--value",
      `link="https://example.com/x"`,
      "--json",
    ];
    const estimate = await cli("workflows", "estimate", ...given);
    expect(estimate.json).toMatchObject({ is_exact: true, sufficient: true });
    const run = await cliProcess("runs", "submit", ...given, "--watch");
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
      "--json",
    ];
    expect((await cli(...grant)).json).toMatchObject({ milli_credits: 5 });
    const ledger = await cli("workspaces", "ledger", workspace, "--limit", "1", "--json");
    expect(ledger.json).toMatchObject({
      data: [{ kind: "grant", milli_credits: 5 }],
      has_more: true,
    });
    expect((await cli("plan", "--json")).json).toMatchObject({ plan_code: "dev" });
    const late = await cli("runs", "cancel", run.json.id);
    expect([late.code, late.err]).toEqual([
      1,
      expect.stringMatching(/^already_terminal \(HTTP 422\): .+\nSee http.+\nRequest .+\n$/),
    ]);
  });

  test("caches one token for its lifetime of an hour, readable by its owner only", async () => {
    const first = await cli("token");
    expect(first.out.trim().split(".")).toHaveLength(3);
    expect((await cli("token")).out).toBe(first.out);
    const path = join(folder, "cli-token.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    // A service with new data refuses it; the CLI requests another one without a message.
    await writeFile(
      path,
      (await readFile(path, "utf8")).replace(first.out.trim(), "stale.stale.stale"),
    );
    expect((await cli("workflows", "list")).code).toBe(0);
  });

  test("prints problems on stderr with exit code 1, and its usage with exit code 2", async () => {
    const missing = await cliProcess("workflows", "get", `wf_${"0".repeat(32)}`, "--json");
    expect([missing.code, missing.out, JSON.parse(missing.err).code]).toEqual([1, "", "not_found"]);
    for (const args of [
      ["nonsense"],
      ["runs", "get"],
      ["runs", "nonsense"],
      ["runs", "get", "a", "b"],
      ["runs", "list", "--nonsense"],
      ["--bogus"],
      ["constructor"],
    ]) {
      const ended = await (args[0] === "nonsense" ? cliProcess : cli)(...args);
      expect([ended.code, ended.err.includes("Usage:")], args.join(" ")).toEqual([2, true]);
    }
    expect((await cli("rnus", "list")).err).toMatch(
      /^Unknown command.* Did you mean "runs list"\?\n/,
    );
    expect((await cli("runs", "list", "--limt", "1")).err).toMatch(
      /^Unknown flag: --limt\. Did you mean "--limit"\?\n/,
    );
    expect((await cli("--help")).out).toContain("runs submit WORKFLOW");
    expect((await cli("webhooks", "--help")).out).toContain("webhooks rotate-secret ID");
    expect((await cli("datasets", "inspect", "--help")).out).toMatch(
      /--sample-rows TEXT +rows in the sample/,
    );
  });

  test("shows lists as tables and objects as lines, and JSON with --json", async () => {
    const table = await cli("workflows", "list");
    expect(table.out).toMatch(/^id +name +version +status +updated_at\nwf_/);
    expect(table.err).toMatch(/\d+ of \d+/);
    const [, id] = /^(wf_\w+) +Greeting card/m.exec(table.out) ?? [];
    expect((await cli("workflows", "get", id ?? "")).out).toMatch(
      /^id +wf_.*\nname +Greeting card/,
    );
  });

  testInProof(
    "prints the events of a run, its trace and its iterations, and saves its ZIP",
    async () => {
      const { json: list } = await cli("workflows", "list", "--limit", "100", "--json");
      const { id } = list.data.find(({ name }: { name: string }) => name === "Greeting card");
      const { json: run } = await cli(
        "runs",
        "submit",
        id,
        "--input",
        "name=Ada",
        "--watch",
        "--json",
      );
      const events = (await cli("runs", "events", run.id, "--json")).out.trim().split("\n");
      const last = JSON.parse(events.at(-1) ?? "");
      expect(last.event).toBe("done");
      const resumed = await cli(
        "runs",
        "events",
        run.id,
        "--after",
        JSON.parse(events.at(-2) ?? "").id,
      );
      expect(resumed.out.trim().split("\n")).toHaveLength(1);
      expect((await cli("runs", "trace", run.id, "--json")).json.nodes.length).toBeGreaterThan(5);
      expect((await cli("runs", "iterations", run.id, "greeting", "--json")).json.total_count).toBe(
        1,
      );
      const zip = await cli("runs", "zip", run.id, "--output", join(folder, "zip"), "--json");
      const [saved] = zip.json.data;
      expect((await stat(saved.file)).size).toBe(saved.size_bytes);
    },
  );

  testInProof(
    "uploads a file in parts, resumes an interrupted upload, and inspects a dataset",
    async () => {
      const file = join(folder, "rows.csv");
      const row = `${"x".repeat(1023)}\n`;
      await writeFile(file, `column\n${row.repeat(20 * 1024)}`);
      const first = await cli("assets", "upload", file, "--json");
      expect(first.json).toMatchObject({ status: "finalized", size_bytes: 20 * 1024 * 1024 + 7 });
      // The same command finds its session again and sends nothing twice.
      expect((await cli("assets", "upload", file, "--json")).json.path).toBe(first.json.path);
      const small = join(folder, "small.csv");
      await writeFile(small, "name,size\nA,1\nB,2\n");
      const asset = await cli("assets", "upload", small, "--json");
      const profile = await cli("datasets", "inspect", "--path", asset.json.path, "--json");
      expect(profile.json.row_count).toBe(2);
      expect((await cli("assets", "delete", "--path", asset.json.path)).code).toBe(0);
    },
  );

  test("validates a definition: one line for each problem, exit code 1", async () => {
    const file = join(folder, "definition.json");
    await writeFile(
      file,
      JSON.stringify({ nodes: [{ id: "a", type: "no/such" }], connections: [] }),
    );
    const ended = await cli("workflows", "validate", file);
    expect(ended.code).toBe(1);
    expect(ended.out).toMatch(/^severity +field +message +suggestion\nerror +nodes\[0\]/);
    const { json: list } = await cli("workflows", "list", "--limit", "100", "--json");
    const { id } = list.data[0];
    await writeFile(file, (await cli("workflows", "definition", id, "--json")).out);
    const valid = await cli("workflows", "validate", file);
    expect([valid.code, valid.out.trim()]).toEqual([0, "The definition is valid."]);
  });

  testInProof(
    "creates a webhook endpoint with its secret, lists it and deletes it, each with its own key",
    async () => {
      const made = await cli(
        "webhooks",
        "create",
        "--name",
        "N",
        "--url",
        "https://example.com/hook",
        "--json",
      );
      expect(made.json.signing_secret).toMatch(/^whsec_/);
      expect((await cli("webhooks", "list")).out).toContain(made.json.id);
      expect((await cli("webhooks", "delete", made.json.id, "--json")).json.status).toBe(
        "archived",
      );
      expect((await cli("webhooks", "activity", "--json")).json.data.length).toBeGreaterThan(0);
    },
  );
});

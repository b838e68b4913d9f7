/** A boot does not depend on a cache that exists, is complete, or is not shared (docs/decisions/booting.md). */
import { type ChildProcess, spawn } from "node:child_process";
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ApiClient, type Credentials } from "../../scripts/api-client.ts";
import { freePort } from "../../scripts/free-port.ts";
import { commandLine } from "../support/node/start-service.ts";
import { testInProof } from "../support/in-proof.ts";

/** The files that a boot reads, in addition to the packages. */
const LINKED = ["src", "durable-objects", "queues", "samples"];
const COPIED = [
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.web.json",
  "vite.config.ts",
  "wrangler.toml",
];
const MODULES = resolve("node_modules");

describe("a boot from a folder of the project's files", () => {
  let project: string;
  const children = new Set<ChildProcess>();

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "edgeloom-project-"));
    await Promise.all([
      ...LINKED.map((name) => symlink(resolve(name), join(project, name))),
      ...COPIED.map((name) => cp(name, join(project, name), { recursive: true })),
    ]);
    await mkdir(join(project, "node_modules"));
    const packages = (await readdir(MODULES)).filter((name) => name !== ".cache");
    await Promise.all(
      packages.map((name) => symlink(join(MODULES, name), join(project, "node_modules", name))),
    );
  });

  afterEach(async () => {
    await Promise.all([...children].map(stop));
  });

  afterAll(async () => {
    await rm(project, { recursive: true, force: true });
  });

  it("works without any cache, prints one line, and writes only into its cache, dist and data", async () => {
    const before = await filesOf(project);
    const child = await boot("first");
    await expectResponses(child);
    expect(child.stdout()).toBe(`ready on ${child.baseUrl}\n`);
    expect(await stop(child.process)).toBe(0);
    const added = (await filesOf(project)).filter((path) => !before.includes(path));
    const places = new Set(added.map((path) => path.split("/")[0]));
    expect([...places].sort()).toEqual(["data-first", "dist", "node_modules"]);
    expect(
      added.filter((path) => path.startsWith("node_modules/") && !path.includes("/.cache/")),
    ).toEqual([]);
  });

  it("starts again from the cache without bundling", async () => {
    const before = await bundles();
    expect(before).toHaveLength(1);
    const child = await boot("first");
    await expectResponses(child);
    expect(await stop(child.process)).toBe(0);
    expect(await bundles()).toEqual(before);
  });

  testInProof.each([
    ["cut in half", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["changed in one byte", flipped],
  ])("works when each cached file was %s", async (_, damage) => {
    const files = await cached();
    expect(files.length).toBeGreaterThan(20);
    for (const path of files) {
      await writeFile(path, damage(await readFile(path)));
    }
    const child = await boot("damaged");
    await expectResponses(child);
    expect(await stop(child.process)).toBe(0);
  });

  testInProof.each([
    ["code was overwritten", "0-worker.mjs", (path: string) => writeFile(path, "throw 1;")],
    ["wasm is missing", ".wasm", (path: string) => rm(path)],
  ])("works if a bundle's %s, and repairs it", async (_, ending, damage) => {
    const [path] = (await cached()).filter((found) => found.endsWith(ending));
    const bytes = await readFile(path!);
    await damage(path!);
    await expectResponses(await boot(ending));
    expect(bytes.equals(await readFile(path!))).toBe(true);
  });

  testInProof("works twice at once with no cache", async () => {
    await rm(join(project, "node_modules/.cache"), { recursive: true });
    const both = await Promise.all([boot("left"), boot("right")]);
    await Promise.all(both.map(expectResponses));
    await Promise.all(both.map(({ process: child }) => stop(child)));
    expect(await bundles()).toHaveLength(1);
    expect((await cached()).filter((path) => path.includes(".tmp"))).toEqual([]);
  });

  testInProof("works where no cache can be kept", async () => {
    const cache = join(project, "node_modules/.cache");
    await rm(cache, { recursive: true });
    await writeFile(cache, "a file where the folder would be");
    const child = await boot("kept-nowhere");
    await expectResponses(child);
    expect(await stop(child.process)).toBe(0);
  });

  describe("of data that has lost a file", () => {
    const data = () => join(project, "data-first");
    const credentials = () => join(data(), "credentials.json");

    it("creates a new key for the existing organization if credentials.json is missing, and logs one line", async () => {
      const before = JSON.parse(await readFile(credentials(), "utf8")) as Credentials;
      await rm(credentials());
      const child = await boot("first");
      const after = JSON.parse(await readFile(credentials(), "utf8")) as Credentials;
      expect([after.org_id, after.workspace_id]).toEqual([before.org_id, before.workspace_id]);
      expect(after.client_id).not.toBe(before.client_id);
      const client = new ApiClient(after);
      const { data: workflows } = await client.call<{ data: readonly { name: string }[] }>(
        "GET",
        "/api/v1/workflows?limit=100",
      );
      const names = workflows.map(({ name }) => name);
      expect(names.length).toBeGreaterThan(0);
      // The samples are not created again.
      expect(new Set(names).size).toBe(names.length);
      expect(child.stdout().split("\n")).toEqual([
        expect.stringMatching(
          /^\S*credentials\.json was missing\. It now contains a new key for ws_[0-9a-f]{32} of org_[0-9a-f]{32}\.$/,
        ),
        `ready on ${child.baseUrl}`,
        "",
      ]);
      expect(await stop(child.process)).toBe(0);
    });

    it.each([
      ["cut in half", (text: string) => text.slice(0, text.length / 2), /is not JSON/],
      ["without its secret", (text: string) => text.replace("client_secret", "x"), /client_secret/],
      ["a list", () => "[]", /base_url.* is missing/],
      ["empty", () => "", /is not JSON/],
    ])(
      "stops if credentials.json is %s, with the file's name and a remedy",
      async (_, damage, how) => {
        const whole = await readFile(credentials(), "utf8");
        await writeFile(credentials(), damage(whole));
        const error = await refusal("first");
        expect(error).toContain(`${credentials()} is damaged`);
        expect(error).toMatch(how);
        expect(error).toMatch(/Restore it, or delete it/);
        await writeFile(credentials(), whole);
      },
    );

    it.each([
      ["its first page overwritten", (bytes: Buffer) => Buffer.from(bytes).fill(0x5a, 0, 100)],
      ["pages in its middle overwritten", (bytes: Buffer) => Buffer.from(bytes).fill(0x5a, 8192)],
      ["cut in half", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
      ["emptied", () => Buffer.alloc(0)],
    ])("stops if the database has %s, with the file's name and a remedy", async (_, damage) => {
      const [file] = await databases();
      const whole = await readFile(file!);
      await writeFile(file!, damage(whole));
      const error = await refusal("first");
      expect(error).toContain(`${file!} is damaged (`);
      expect(error).toMatch(/Restore the folder from a complete backup/);
      await writeFile(file!, whole);
    });

    testInProof(
      "stops if the database is missing although there are runs, and starts with new data if both are missing",
      async () => {
        const child = await boot("first");
        const client = new ApiClient(
          JSON.parse(await readFile(credentials(), "utf8")) as Credentials,
        );
        const { data: workflows } = await client.call<{
          data: readonly { id: string; name: string }[];
        }>("GET", "/api/v1/workflows?limit=100");
        for (const { id } of workflows) {
          const inputs = {};
          await client
            .call("POST", "/api/v1/executions", { body: { workflow: id, inputs } })
            .catch(() => undefined);
        }
        expect(await stop(child.process)).toBe(0);
        const d1 = join(data(), "d1");
        await rename(d1, `${d1}-elsewhere`);
        const error = await refusal("first");
        expect(error).toMatch(/has no database, and \S*objects contains runs/);
        expect(error).toMatch(/from a backup of the whole folder/);
        await rm(join(data(), "objects"), { recursive: true });
        const anew = await boot("first");
        await expectResponses(anew);
        expect(await stop(anew.process)).toBe(0);
      },
    );

    async function databases(): Promise<readonly string[]> {
      const folder = join(data(), "d1/miniflare-D1DatabaseObject");
      return (await readdir(folder))
        .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
        .map((name) => join(folder, name));
    }

    /** Returns the message of a boot that must fail. */
    async function refusal(name: string): Promise<string> {
      const outcome = await boot(name).then(
        () => "it started",
        (error: Error) => error.message,
      );
      expect(outcome).toMatch(/^It ended with code 1\./);
      return outcome;
    }
  });

  interface Booted {
    readonly process: ChildProcess;
    readonly baseUrl: string;
    /** The path of its data, below the project. */
    readonly folder: string;
    stdout(): string;
  }

  async function boot(name: string): Promise<Booted> {
    const port = await freePort();
    const folder = `data-${name}`;
    const child = spawn(process.execPath, commandLine(port, folder), {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
      env: withoutNodesOwnCache(),
    });
    children.add(child);
    let [stdout, stderr] = ["", ""];
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
    });
    await new Promise<void>((done, fail) => {
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        stdout += chunk;
        if (stdout.includes("\n")) {
          done();
        }
      });
      child.once("exit", (code) => fail(new Error(`It ended with code ${code}.\n${stderr}`)));
    });
    return {
      process: child,
      baseUrl: `http://127.0.0.1:${port}`,
      folder,
      stdout: () => stdout,
    };
  }

  /** Checks that the key of the boot works and that the samples are published. */
  async function expectResponses({ folder }: Booted): Promise<void> {
    const path = join(project, folder, "credentials.json");
    const client = new ApiClient(JSON.parse(await readFile(path, "utf8")) as Credentials);
    const { data } = await client.call<{ data: readonly { status: string }[] }>(
      "GET",
      "/api/v1/workflows",
    );
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(["published"]));
  }

  async function stop(child: ChildProcess): Promise<number | null> {
    children.delete(child);
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((done) => {
        child.once("exit", done);
      });
      child.kill("SIGTERM");
      await ended;
    }
    return child.exitCode;
  }

  async function bundles(): Promise<readonly string[]> {
    const cache = join(project, "node_modules/.cache/edgeloom");
    const names = (await readdir(cache)).filter((name) => /^[0-9a-f]{32}$/.test(name));
    return Promise.all(
      names.map(async (name) => `${name} ${(await stat(join(cache, name))).ctimeMs}`),
    );
  }

  async function cached(): Promise<readonly string[]> {
    const cache = join(project, "node_modules/.cache");
    return (await filesOf(cache)).map((path) => join(cache, path)).sort();
  }
});

/** Paths relative to the folder; links are not followed. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const middle = Math.floor(changed.length / 2);
  changed[middle] = (changed[middle] ?? 0) ^ 1;
  return changed;
}

/** The test runner may have set it, and its value would replace the service's own. */
function withoutNodesOwnCache(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  return { ...env, NODE_NO_WARNINGS: "1" };
}

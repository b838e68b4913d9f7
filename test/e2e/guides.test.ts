/**
 * The guides work word for word on a machine with nothing but Node: their shell blocks run as printed, in
 * order, with a search path that holds the tools of a bare Debian and node, npm, and no curl.
 */
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPdfTexts } from "../support/pdf/read-pdf-texts.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";
import { answerChat } from "../support/providers/openai-chat.ts";
import { ScriptedServer } from "../support/providers/scripted-server.ts";
import { checkX4 } from "../support/pdf/x4/check-x4.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { testInProof, testOfOneSize } from "../support/in-proof.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Essential packages of Debian, which every such machine has. */
const BARE_TOOLS = [
  "bash",
  "sh",
  "cat",
  "grep",
  "sleep",
  "mkdir",
  "env",
  "uname",
  "sed",
  "dirname",
];

const SCRIPT_MS = 120_000;

let folder: string;
let service: RunningService | undefined;
/** For guides that do not restart or configure the service, with a workspace for each. */
let shared: SharedService | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "edgeloom-guide-"));
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  shared = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** A folder that looks like a clone after `npm ci`, with the service's data where `npm run dev` puts it. */
async function makeClone(): Promise<void> {
  for (const name of ["node_modules", "scripts", "src", "samples", "package.json"]) {
    await symlink(join(ROOT, name), join(folder, name));
  }
  await mkdir(join(folder, ".edgeloom"));
  const { credentials } = (service ?? shared)!;
  await writeFile(join(folder, ".edgeloom/credentials.json"), JSON.stringify(credentials));
}

/** Only the tools of a bare machine, and the Node that runs these tests. */
async function barePath(): Promise<string> {
  const bin = join(folder, "bare-bin");
  await mkdir(bin);
  for (const tool of BARE_TOOLS) {
    const found = ["/usr/bin", "/bin"].map((place) => join(place, tool)).find(existsSync);
    await symlink(found ?? `/bin/${tool}`, join(bin, tool));
  }
  const { stdout } = await run("bash", ["-c", "command -v npm"]);
  for (const [name, target] of [
    ["node", process.execPath],
    ["npm", stdout.trim()],
  ] as const) {
    await symlink(target, join(bin, name));
  }
  return bin;
}

/** Pages whose commands cannot run word for word in a test, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "README.md":
    "the demo runs in first-minutes.test.ts; the others are npm ci, npm test and npm run dev",
  "docs/benchmarks.md": "takes an hour; bench.test.ts runs every part of it at a small size",
  "docs/operations.md": "one line, with the id of a run that is followed until Ctrl-C",
};

/** Runs every `sh` block of a guide except those that start the service; files that the guide prints exist. */
async function runGuide(
  page: string,
  skip: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  await makeClone();
  const text = await readFile(join(ROOT, "docs", page), "utf8");
  for (const [, file = "", content = ""] of text.matchAll(/```\w+ file=(\S+)\n([\s\S]*?)```/g)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  }
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block = ""]) => block)
    .filter((block) => !skip.test(block));
  expect(blocks.length).toBeGreaterThan(0);
  const script = ["set -euo pipefail", ...blocks].join("\n");
  return runScript(script, env);
}

/** Runs a script in a process group of its own, and ends its remaining processes. Throws an error with its output. */
async function runScript(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn("bash", ["-c", script], {
    cwd: folder,
    env: { PATH: await barePath(), HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  let complaints = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // The group has no process left.
    }
  };
  const deadline = setTimeout(end, SCRIPT_MS);
  const code = await new Promise((done) => {
    child.once("exit", done);
  });
  clearTimeout(deadline);
  end();
  if (code !== 0) {
    throw new Error(`The guide's commands ended with ${String(code)}:\n${printed}\n${complaints}`);
  }
  return printed;
}

describe("the guides, with nothing but Node", () => {
  testOfOneSize(
    "quick-start.md: from a list of workflows to one of your own, and over HTTP",
    async () => {
      service = await startService();
      const printed = await runGuide("quick-start.md", /npm ci/);
      expect(printed).toContain("Dear Ada,");
      expect(printed).toContain("The definition is valid.");
      expect(printed).toMatch(/^run_[0-9a-f]{32} completed$/m);
      const { data } = await service.client.call<{ data: { status: string }[] }>(
        "GET",
        "/api/v1/executions",
      );
      expect(data.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    },
  );

  testInProof("webhooks.md: receiver, secret, local endpoint, a test and an event", async () => {
    service = await startService({ env: { EGRESS_ALLOW_LOOPBACK: "127.0.0.1:9000" } });
    const printed = await runGuide("webhooks.md", /never/);
    expect(printed).toMatch(/^com\.svc\.webhook\.test\.v1 /m);
    expect(printed).toMatch(/^com\.svc\.execution\.finished\.v1 run_[0-9a-f]{32} completed$/m);
  });

  testInProof(
    "fonts.md: a family of your own, one of its files, a revision, and its end",
    async () => {
      shared = await sharedService();
      const printed = await runGuide("fonts.md", /never/);
      expect(printed).toContain("Noto Sans");
      const bold = await readFile(join(folder, "bold.ttf"));
      const original = await readFile(
        join(ROOT, "node_modules/@expo-google-fonts/caveat/700Bold/Caveat_700Bold.ttf"),
      );
      expect(bold.equals(original)).toBe(true);
    },
  );

  testInProof(
    "templates.md: a template, its draft and a revision as PDF and picture, and a flyer as PDF/X-4",
    async () => {
      shared = await sharedService();
      const printed = await runGuide("templates.md", /never/);
      const bytes = async (name: string) => new Uint8Array(await readFile(join(folder, name)));
      const [draft, page, revision] = await Promise.all(
        ["draft.pdf", "page-3.png", "invoice.pdf"].map(bytes),
      );
      expect((await readPdfTexts(draft!)).join(" ")).toContain("Page 3 of 3");
      expect((await readPdfTexts(revision!)).join(" ")).toContain("Atelier Rosa Lindgren");
      const flyer = await bytes("flyer.pdf");
      expect(await checkX4(flyer)).toEqual([]);
      expect((await readPdfTexts(flyer)).join(" ")).toContain("Night market");
      expect([...page!.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
      expect(printed).toMatch(/"source_color": "#f2c14e",\s+"current_color": "#c8553d"/);
      const [yellow, red] = [
        [0xf2, 0xc1, 0x4e],
        [0xc8, 0x55, 0x3d],
      ] as const;
      for (const [name, shown, other] of [
        ["with-logo.png", red, yellow],
        ["as-drawn.png", yellow, red],
      ] as const) {
        const { data, info } = await sharp(await bytes(name))
          .raw()
          .toBuffer({ resolveWithObject: true });
        const pixelsOf = (color: readonly number[]) =>
          Array.from({ length: info.width * info.height }, (_, at) => at * info.channels).filter(
            (at) => color.every((value, channel) => data[at + channel] === value),
          ).length;
        expect([name, pixelsOf(other)]).toEqual([name, 0]);
        expect(pixelsOf(shown), name).toBeGreaterThan(1_000);
      }
    },
  );

  testInProof(
    "providers.md: a server of models on this machine, a run, and two hosts",
    async () => {
      // In place of Ollama, at its port.
      const ollama = new ScriptedServer(answerChat({ pieces: ["Kites above ", "the roofs"] }));
      await ollama.start(11_434);
      try {
        service = await startService({ env: { PROVIDERS_ALLOW_LOOPBACK: ollama.host } });
        const printed = await runGuide("providers.md", /never/);
        expect(printed).toMatch(/^status +completed$/m);
        expect(printed).toContain("Kites above the roofs");
        expect(ollama.received.map((request) => request.json())).toMatchObject([
          { model: "llama3.2" },
        ]);
        for (const model of ["llama", "fal-flux-schnell", "eleven-multilingual-v2"]) {
          expect(printed).toContain(model);
        }
      } finally {
        ollama.stop();
      }
    },
  );

  testOfOneSize(
    "schedules.md: a schedule, a run of it, and the times of a cron expression",
    async () => {
      shared = await sharedService("samples");
      const printed = await runGuide("schedules.md", /never/);
      expect(printed).toContain("Card of the day");
      const documented = await readFile(join(ROOT, "docs/schedules.md"), "utf8");
      const [, times = ""] = /```json\n([\s\S]*?)```/.exec(documented) ?? [];
      const previewed = printed.slice(printed.lastIndexOf("\n{") + 1);
      expect(JSON.parse(previewed)).toEqual(JSON.parse(times));
    },
  );

  testInProof(
    "batches.md: a table with a failing row that is fixed and retried, a list, and whole rows",
    async () => {
      shared = await sharedService("samples");
      const printed = await runGuide("batches.md", /never/);
      // The second row fails, then runs with the fixed version; the cell of the fourth is never a number.
      expect(printed.match(/^1 +A-2 +failed .*CALC_DIVISION_BY_ZERO$/gm)).toHaveLength(1);
      expect(printed.match(/^1 +A-2 +completed /gm)).toHaveLength(1);
      expect(printed.match(/^3 +A-4 +failed .*validation_error$/gm)).toHaveLength(2);
      expect(printed).toMatch(/^is_exact +(true|yes)$/m);
      expect(printed).toMatch(
        /^index,client_reference,status,[^\n]*input\.total[^\n]*output\.share\r?$/m,
      );
      expect(printed).toMatch(/^0,A-1,completed,run_\w+,[^\n]*,90,[^\n]*30\r?$/m);
      expect(printed).toMatch(/^1$/m);
      const ends = await shared.client.call<{ data: { workflow_name: string; status: string }[] }>(
        "GET",
        "/api/v1/batch-executions",
      );
      expect(ends.data.map((one) => [one.workflow_name, one.status])).toEqual([
        ["Bill in words", "completed"],
        ["Share of a bill", "completed"],
        ["Share of a bill", "partial_success"],
      ]);
    },
  );

  testOfOneSize(
    "retries-and-reuse.md: a run and its retry, compared, and as it was before its first node",
    async () => {
      shared = await sharedService("samples");
      const printed = await runGuide("retries-and-reuse.md", /never/);
      expect(printed).toMatch(/"relation": "retry"/);
      expect(printed).toMatch(/"last_event_id": "\d+-\d+"/);
      expect(printed.match(/"event_id": "0-0"/g)).toHaveLength(2);
    },
  );

  testOfOneSize("cli.md: help, and a list of workflows", async () => {
    shared = await sharedService("samples");
    const printed = await runGuide("cli.md", /never/);
    expect(printed).toContain("Usage: edgeloom runs submit");
    expect(printed).toContain("Greeting card");
  });

  testInProof("deploy.md: the first key, on a service in place of the deployment", async () => {
    shared = await sharedService();
    const { base_url, admin_token } = shared.credentials;
    const printed = await runGuide("deploy.md", /wrangler/, {
      EDGELOOM_BASE_URL: base_url,
      EDGELOOM_ADMIN_TOKEN: admin_token,
      EDGELOOM_CREDENTIALS: "none.json",
    });
    expect(printed).toMatch(/^client_secret +\S+$/m);
  });
});

test("every page with commands is run here, or named with the reason why it is not", async () => {
  const own = await readFile(fileURLToPath(import.meta.url), "utf8");
  const pages = ["README.md", "ARCHITECTURE.md"];
  for (const name of await readdir(join(ROOT, "docs"), { recursive: true })) {
    if (name.endsWith(".md")) {
      pages.push(`docs/${name}`);
    }
  }
  const texts = await Promise.all(
    pages.map(async (page) => ({ page, text: await readFile(join(ROOT, page), "utf8") })),
  );
  const withCommands = texts.filter(({ text }) => /^```(?:sh|bash|console)$/m.test(text));
  expect(withCommands.length).toBeGreaterThan(6);
  const untested = withCommands
    .map(({ page }) => page)
    .filter((page) => !own.includes(`runGuide("${page.replace("docs/", "")}"`));
  expect(untested.toSorted()).toEqual(Object.keys(NOT_RUN).toSorted());
});

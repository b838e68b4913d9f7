/** The receivers of docs/webhooks.md work as printed: they accept events that the service signed and reject others. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../scripts/free-port.ts";
import {
  newSigningSecret,
  signWebhook,
} from "../../src/domain/webhooks/deliveries/sign-webhook.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LOCAL_NODE = join(ROOT, "node_modules/.bin/node");
const NODE = existsSync(LOCAL_NODE) ? LOCAL_NODE : process.execPath;

const LANGUAGES = [
  { name: "TypeScript", file: "receiver.ts", command: [NODE], probe: [NODE, "--version"] },
  { name: "Python", file: "receiver.py", command: ["python3"], probe: ["python3", "--version"] },
  { name: "Go", file: "receiver.go", command: ["go", "run"], probe: ["go", "version"] },
];

let directory: string;
let page: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-receivers-"));
  page = await readFile(join(ROOT, "docs/webhooks.md"), "utf8");
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** The code block of this name on the page, character by character. */
function printed(file: string): string {
  const block = new RegExp(`\`\`\`\\w+ file=${file.replace(".", "\\.")}\\n([\\s\\S]*?)\`\`\``).exec(
    page,
  );
  if (block?.[1] === undefined) {
    throw new Error(`docs/webhooks.md prints no ${file}`);
  }
  return block[1];
}

interface Receiver {
  readonly url: string;
  output(): string;
  stop(): void;
}

async function start(command: readonly string[], file: string, secret: string): Promise<Receiver> {
  const path = join(directory, file);
  await writeFile(path, printed(file));
  const port = await freePort();
  const [program = "", ...args] = command;
  const child: ChildProcess = spawn(program, [...args, path, String(port)], {
    env: { ...process.env, WEBHOOK_SECRET: secret, NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    // `go run` starts a child process: both must end together.
    detached: true,
  });
  let output = "";
  child.stdout?.on("data", (piece) => (output += String(piece)));
  child.stderr?.on("data", (piece) => (output += String(piece)));
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`${file} ended: ${output}`)));
    const timer = setInterval(() => {
      if (output.includes("listening")) {
        clearInterval(timer);
        resolve();
      }
    }, 10);
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    output: () => output,
    stop: () => {
      if (child.pid !== undefined) {
        process.kill(-child.pid, "SIGKILL");
      }
    },
  };
}

describe.each(LANGUAGES.map((language) => [language.name, language] as const))(
  "the receiver in %s",
  (_name, { file, command, probe }) => {
    const [program = "", ...args] = probe;
    const isThere = spawnSync(program, args).status === 0;

    test.skipIf(!isThere)("accepts each signed event once, and rejects the rest", async () => {
      const [secret, next] = [newSigningSecret(), newSigningSecret()];
      const receiver = await start(command, file, secret);
      try {
        const body = JSON.stringify({
          type: "com.svc.execution.finished.v1",
          subject: "run_1",
          data: { status: "completed", text: "héllo 世界" },
        });
        const nowS = Math.floor(Date.now() / 1000);
        const send = async (
          secrets: readonly string[],
          more: { id?: string; sent?: string; timestamp?: number; says?: string } = {},
        ) => {
          const message = { id: more.id ?? "evt_1", timestamp: more.timestamp ?? nowS, body };
          const response = await fetch(receiver.url, {
            method: "POST",
            headers: {
              "content-type": "application/cloudevents+json",
              "webhook-id": message.id,
              "webhook-timestamp": String(message.timestamp),
              "webhook-signature": more.says ?? signWebhook(message, secrets),
            },
            body: more.sent ?? body,
          });
          await response.arrayBuffer();
          return response.status;
        };
        expect(await send([secret])).toBe(204);
        expect(await send([secret]), "a repeat").toBe(204);
        expect(await send([next, secret], { id: "evt_2" }), "during a rotation").toBe(204);
        expect(await send([next])).toBe(401);
        expect(await send([secret], { sent: body.replace("completed", "failed") })).toBe(401);
        expect(await send([secret], { timestamp: nowS - 400 })).toBe(401);
        expect(await send([secret], { timestamp: nowS + 400 })).toBe(401);
        for (const says of ["", "v1,", "v1", "v2,AAAA", "v1,é", "garbage ,, "]) {
          expect(await send([secret], { says: encodeURI(says) }), says).toBe(401);
        }
        const lines = receiver
          .output()
          .split("\n")
          .filter((line) => line.includes("run_1"));
        expect(lines).toEqual([
          "com.svc.execution.finished.v1 run_1 completed",
          "com.svc.execution.finished.v1 run_1 completed",
        ]);
      } finally {
        receiver.stop();
      }
    });
  },
);

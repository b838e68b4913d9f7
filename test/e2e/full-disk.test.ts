/** The whole service on a full disk: a tmpfs, if this process is allowed to mount one. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type RunningService, startService } from "../support/node/start-service.ts";

const DISK = mkdtempSync(join(tmpdir(), "edgeloom-disk-"));

function mounted(): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", DISK], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const canMount = mounted();
let service: RunningService | undefined;

afterAll(async () => {
  await service?.stop();
  if (canMount) {
    execFileSync("umount", [DISK]);
  }
  rmSync(DISK, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly tookMs: number;
  readonly retryAfter: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests read whatever came
  readonly json: any;
}

async function send(method: string, path: string, body?: unknown, key?: string): Promise<Reply> {
  const { client } = service!;
  const startedMs = performance.now();
  const response = await fetch(new URL(path, service!.baseUrl), {
    method,
    headers: {
      authorization: `Bearer ${await client.token()}`,
      ...(body !== undefined &&
        !(body instanceof FormData) && {
          "content-type": "application/json",
        }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    tookMs: performance.now() - startedMs,
    retryAfter: response.headers.get("retry-after"),
    json: text === "" ? undefined : JSON.parse(text),
  };
}

/** Fills the disk; returns the function that releases the bytes. */
function fillUp(): () => void {
  const path = join(DISK, "filler");
  const file = openSync(path, "w");
  for (const bytes of [1 << 20, 4096, 1]) {
    try {
      for (;;) {
        writeSync(file, Buffer.alloc(bytes));
      }
    } catch {
      // Full for pieces of this size; the next are smaller.
    }
  }
  closeSync(file);
  return () => {
    rmSync(path);
  };
}

async function ended(id: string): Promise<string> {
  for (;;) {
    const { json } = await send("GET", `/api/v1/executions/${id}`);
    if (json.completed_at !== null && json.completed_at !== undefined) {
      return json.status;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
}

describe("on a full disk", () => {
  it.skipIf(!canMount)(
    "requests that write return 503 within 10 s, requests that read work, and no accepted data is lost",
    async () => {
      service = await startService({ directory: join(DISK, "data") });
      const list = await send("GET", "/api/v1/workflows?limit=100");
      const { id } = list.json.data.at(-1);
      const detail = await send("GET", `/api/v1/workflows/${id}`);
      const { example } = detail.json.execution_contract.primary;
      const before = await send("POST", "/api/v1/executions", example, "accepted-before");
      expect(before.status).toBe(202);

      const free = fillUp();
      const reads = [
        "/health",
        "/api/v1/workflows?limit=5",
        `/api/v1/workflows/${id}`,
        "/api/v1/executions?limit=5",
        `/api/v1/executions/${before.json.id}`,
        "/api/v1/assets",
        "/api/v1/plan",
      ];
      for (const path of reads) {
        expect((await send("GET", path)).status, path).toBe(200);
      }
      const form = new FormData();
      form.append("file", new File(["x".repeat(300_000)], "note.txt"));
      const writes: [string, string, unknown][] = [
        ["POST", "/api/v1/workflows", { name: "Full" }],
        ["POST", "/api/v1/workflow-folders", { name: "Full" }],
        ["PATCH", `/api/v1/workflows/${id}`, { description: "Full" }],
        ["POST", `/api/v1/workflows/${id}/clone`, {}],
        ["POST", "/api/v1/executions", example],
        ["POST", "/api/v1/assets", form],
        ["POST", "/api/v1/assets/uploads", { file_name: "a.txt", size_bytes: 10 }],
      ];
      for (const [method, path, body] of writes) {
        const reply = await send(method, path, body, "refused-while-full");
        expect([reply.status, reply.json.code, reply.retryAfter], path).toEqual([
          503,
          "service_unavailable",
          "5",
        ]);
        expect(reply.json.detail).toMatch(/Storage is unavailable/);
        expect(reply.tookMs, path).toBeLessThan(10_000);
      }
      const validated = await send("POST", "/api/v1/workflows/validate", {
        definition: { nodes: [], connections: [] },
      });
      expect(validated.status).toBe(200);

      free();
      for (;;) {
        const again = await send("POST", "/api/v1/executions", example, "refused-while-full");
        if (again.status === 202) {
          expect(await ended(again.json.id)).toBe("completed");
          break;
        }
        expect(again.status).toBe(503);
        await new Promise((resolve) => {
          setTimeout(resolve, 100);
        });
      }
      expect(await ended(before.json.id)).toBe("completed");
      const replay = await send("POST", "/api/v1/executions", example, "accepted-before");
      expect(replay.json.id).toBe(before.json.id);
    },
    300_000,
  );
});

import { abortAllDurableObjects } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { type Reply, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "./coded-workflow.ts";
import { okOutcome, TaskRunner } from "./task-runner.ts";

let caller: Caller;
let coded: string;
let echo: string;

beforeAll(async () => {
  caller = await newCaller();
  coded = await publishedWorkflow(caller, CODED_DEFINITION);
  echo = await publishedWorkflow(caller);
});

type Headers = Readonly<Record<string, string>>;

function submit(workflow: string, inputs: unknown, headers: Headers = {}): Promise<Reply> {
  const json = { workflow, inputs };
  return call("POST", "/api/v1/executions", { token: caller.token, json, headers });
}

function get(path: string, headers: Headers = {}): Promise<Reply> {
  return call("GET", `/api/v1/executions/${path}`, { token: caller.token, headers });
}

const image = new FileRef({ key: "k/x.png", name: "x", contentType: "image/png", sizeBytes: 3 });

describe("Prefer: wait", () => {
  it("on submit returns the ended run", async () => {
    const response = await submit(echo, { in: { value: '"x"' } }, { prefer: "wait=10" });
    expect(response.status).toBe(202);
    expect(response.headers.get("preference-applied")).toBe("wait=10");
    expect(response.json).toMatchObject({ status: "completed", progress: 100 });
    expect(response.json.outputs[0].value).toBe("x");
  });

  it("on get returns at the moment the run ends, and not before", async () => {
    const { json } = await submit(coded, textsInput(["a"]));
    let hasResponded = false;
    const waiting = get(json.id, { prefer: "respond-async, wait=30" }).then((response) => {
      hasResponded = true;
      return response;
    });
    const runner = new TaskRunner(json.id);
    const [task] = await runner.claim();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(hasResponded).toBe(false);
    const reportedAt = Date.now();
    await runner.report(task!, okOutcome({ image }));
    const response = await waiting;
    // Well before the 30 s of its wait.
    expect(Date.now() - reportedAt).toBeLessThan(10_000);
    expect(response.headers.get("preference-applied")).toBe("wait=30");
    expect(response.json.status).toBe("completed");
  });

  it("returns the live run after the wait", async () => {
    const submittedAt = Date.now();
    const submitted = await submit(coded, textsInput(["a"]), { prefer: "wait=1" });
    const tookMs = Date.now() - submittedAt;
    expect([submitted.status, submitted.json.status]).toEqual([202, "running"]);
    expect(tookMs).toBeGreaterThanOrEqual(990);
    expect(tookMs).toBeLessThan(15_000);
  });

  it("is limited to 60 s, returns an ended run at once, and is ignored if malformed", async () => {
    const { json } = await submit(echo, { in: { value: '"x"' } }, { prefer: "wait=10" });
    for (const [prefer, applied] of [
      ["wait=3600", "wait=60"],
      ["wait=0", "wait=0"],
      ['WAIT = "5"', "wait=5"],
      ["wait=5; x=y, handling=lenient", "wait=5"],
      ["wait=-1", null],
      ["wait=1.5", null],
      ["wait=9007199254740993", null],
      ["wait=1e1", null],
      ["wait", null],
      ["waiting=5", null],
      ["x".repeat(5_000), null],
    ] as const) {
      const begunAt = Date.now();
      const response = await get(json.id, { prefer });
      expect([prefer, response.status, response.headers.get("preference-applied")]).toEqual([
        prefer,
        200,
        applied,
      ]);
      // Less than the shortest of these waits.
      expect(Date.now() - begunAt).toBeLessThan(4_500);
    }
  });
});

describe("the ETag of an execution and of its result", () => {
  it("changes exactly when the body changes, while the run progresses and over a crash", async () => {
    const { json } = await submit(coded, textsInput(["a", "b", "c"]));
    const bodies = new Map<string, string>();
    const tags = new Map<string, string>();
    let differences = 0;
    const look = async () => {
      for (const path of ["", "/result"]) {
        const response = await get(json.id + path);
        const tag = response.headers.get("etag")!;
        expect(tag).toMatch(/^"[\w-]+"$/);
        const key = `${path} ${tag}`;
        // No tag identifies two different bodies.
        expect(bodies.get(key) ?? response.text).toBe(response.text);
        bodies.set(key, response.text);
        const known = tags.get(path);
        if (known !== undefined) {
          const again = await get(json.id + path, { "if-none-match": known });
          expect(again.status).toBe(known === tag ? 304 : 200);
          differences += known === tag ? 0 : 1;
        }
        tags.set(path, tag);
        const same = await get(json.id + path, { "if-none-match": `"other", W/${tag}` });
        expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", tag]);
      }
    };
    await look();
    const runner = new TaskRunner(json.id);
    for (const task of await runner.claim()) {
      await runner.report(task, okOutcome({ image }));
      await new Promise((resolve) => setTimeout(resolve, 30));
      await look();
    }
    const done = await get(json.id);
    expect(done.json.status).toBe("completed");
    await look();
    await abortAllDurableObjects();
    expect((await get(json.id, { "if-none-match": done.headers.get("etag")! })).status).toBe(304);
    expect(differences).toBeGreaterThanOrEqual(4);
  });

  it("differs between base addresses, since links do", async () => {
    const { json } = await submit(coded, textsInput(["a"]));
    const tags = await Promise.all(
      ["http://one.test", "http://two.test", "http://one.test"].map(async (origin) => {
        const request = new Request(`${origin}/api/v1/executions/${json.id}`, {
          headers: { authorization: `Bearer ${caller.token}` },
        });
        const response = await exports.default.fetch(request);
        await response.text();
        return response.headers.get("etag");
      }),
    );
    expect(tags[0]).not.toBe(tags[1]);
    expect(tags[0]).toBe(tags[2]);
  });

  it("is compared after the wait", async () => {
    const { json } = await submit(coded, textsInput(["a"]));
    const before = await get(json.id);
    const waiting = get(json.id, {
      "if-none-match": before.headers.get("etag")!,
      prefer: "wait=20",
    });
    const runner = new TaskRunner(json.id);
    const [task] = await runner.claim();
    await runner.report(task!, okOutcome({ image }));
    const after = await waiting;
    expect([after.status, after.json.status]).toEqual([200, "completed"]);
    expect(after.headers.get("cache-control")).toBe("private, no-cache");
  });
});

describe("the list of runs", () => {
  it("agrees with the run itself, after its submit, its start and its cancel", async () => {
    const { json } = await submit(coded, textsInput(["a", "b"]));
    const list = (query: string) =>
      call("GET", `/api/v1/executions?${query}`, { token: caller.token });
    const listed = async () => {
      const page = await list("limit=5");
      return page.json.data.find(({ id }: { id: string }) => id === json.id).status;
    };
    expect(["pending", "running"]).toContain(await listed());
    await new TaskRunner(json.id).claim();
    await waitUntil("the list to say running", async () => (await listed()) === "running");
    const cancelled = await call("POST", `/api/v1/executions/${json.id}/cancel`, {
      token: caller.token,
    });
    expect([cancelled.status, cancelled.json.status]).toEqual([200, "cancelling"]);
    expect(["cancelling", "cancelled"]).toContain(await listed());
    const running = await list("status=running");
    expect(running.json.data.map(({ id }: { id: string }) => id)).not.toContain(json.id);
  });
});

describe("a live run", () => {
  it("[E21] fills its outputs in and never lowers its progress", async () => {
    const { json } = await submit(coded, textsInput(["a", "b", "c", "d"]));
    const runner = new TaskRunner(json.id);
    const seen: { progress: number; outputs: string[] }[] = [];
    const look = async () => {
      const { json: now } = await get(json.id);
      seen.push({
        progress: now.progress,
        outputs: now.outputs.map(
          (each: { logical_name: string; input_indices: number[] }) =>
            `${each.logical_name}/${each.input_indices.join(".")}`,
        ),
      });
      expect(now.outputs_total).toBe(now.outputs.length);
      return now;
    };
    await look();
    const tasks = await runner.claim();
    await look();
    for (const task of tasks) {
      await runner.report(task, okOutcome({ image }));
      await new Promise((resolve) => setTimeout(resolve, 30));
      await look();
    }
    const last = await look();
    expect(last.status).toBe("completed");
    for (const [i, now] of seen.entries()) {
      const before = seen[i - 1] ?? { progress: 0, outputs: [] };
      expect(now.progress).toBeGreaterThanOrEqual(before.progress);
      expect(now.outputs).toEqual(expect.arrayContaining(before.outputs));
    }
    const partial = seen.filter(({ outputs }) => outputs.length > 0 && outputs.length < 8);
    expect(partial.length).toBeGreaterThan(2);
    expect(partial.every(({ progress }) => progress < 100)).toBe(true);
    expect(seen.at(-1)).toMatchObject({ progress: 100 });
    expect(seen.at(-1)!.outputs).toHaveLength(8);
  });
});

/** docs/contract/embeds.md#uploads and #events. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../../src/worker.ts";
import { call, newCaller, operator, type Reply } from "../../support/api-caller.ts";
import {
  type EmbedCaller,
  mint,
  newEmbedCaller,
  revoke,
  submitEmbed,
} from "../../support/embeds/embed-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { HOME_DB } from "../../support/home-database.ts";

const PHOTO_DEFINITION = {
  nodes: [
    { id: "photo", type: "input/image", label: "Photo", parameters: { required: true } },
    { id: "seen", type: "output/image", label: "Seen", parameters: {} },
  ],
  connections: [{ from: { node: "photo", port: "image" }, to: { node: "seen", port: "image" } }],
};

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
const answer = ({ status, json }: Reply) => [status, json?.code];

function upload(token: string, name: string, headers: Record<string, string> = {}) {
  const body = new FormData();
  body.set("file", new File([SVG], name));
  return call("POST", "/api/embed/assets", { token, body, headers });
}

const submitPhoto = (token: string, path: string) =>
  submitEmbed(token, { inputs: { photo: { asset_path: path } } });

describe("uploads of an embed", () => {
  test("are stored like others, and may be used by their token and by others of its person alone", async () => {
    const caller = await newEmbedCaller({}, PHOTO_DEFINITION);
    const first = await mint(caller, { end_user_id: "ann" });
    const stored = await upload(first.token, "face.svg");
    expect([stored.status, Object.keys(stored.json).toSorted()], stored.text).toEqual([
      201,
      ["content_type", "name", "path", "size_bytes"],
    ]);
    const { path } = stored.json;
    const refreshed = await mint(caller, { end_user_id: "ann" });
    const otherPerson = await mint(caller, { end_user_id: "bob" });
    const nobody = await mint(caller);
    const otherKey = await newCaller({ workspaceId: caller.workspaceId });
    const otherKeys = await mint(
      { ...otherKey, workflowId: caller.workflowId },
      { end_user_id: "ann" },
    );
    expect((await submitPhoto(first.token, path)).status).toBe(202);
    expect((await submitPhoto(refreshed.token, path)).status).toBe(202);
    for (const { token } of [otherPerson, nobody, otherKeys]) {
      expect(answer(await submitPhoto(token, path))).toEqual([403, "forbidden"]);
    }
    const body = new FormData();
    body.set("file", new File([SVG], "the-workspaces-own.svg"));
    const own = await call("POST", "/api/v1/assets", { token: caller.token, body });
    expect(own.status).toBe(201);
    for (const foreign of [own.json.path, "assets/none.svg"]) {
      expect(answer(await submitPhoto(first.token, foreign))).toEqual([403, "forbidden"]);
    }
    // The workspace itself sees what its visitors uploaded.
    const listed = await call("GET", "/api/v1/assets", { token: caller.token });
    expect(listed.json.data.map((each: { path: string }) => each.path)).toContain(path);
  });

  test("take the files alone that a field of the form accepts, and 60 an hour", async () => {
    const caller = await newEmbedCaller({}, PHOTO_DEFINITION);
    const { token } = await mint(caller);
    expect(answer(await upload(token, "table.csv"))).toEqual([400, "invalid_file_type"]);
    expect(answer(await upload(token, "face.exe"))).toEqual([400, "invalid_file_type"]);
    const session = { file_name: "song.mp3", size_bytes: 10 };
    const refused = await call("POST", "/api/embed/uploads", { token, json: session });
    expect(answer(refused)).toEqual([400, "invalid_file_type"]);
    const statuses = await Promise.all(
      Array.from({ length: 58 }, async () => (await upload(token, "table.csv")).status),
    );
    expect(statuses.filter((status) => status === 429).length).toBe(1);
    const late = await upload(token, "face.svg");
    expect([...answer(late), Number(late.headers.get("retry-after")) > 0]).toEqual([
      429,
      "rate_limited",
      true,
    ]);
    const text = await newEmbedCaller();
    const without = await mint(text);
    expect(answer(await upload(without.token, "face.svg"))).toEqual([400, "invalid_file_type"]);
  });

  test("repeat by a key of the token's own", async () => {
    const caller = await newEmbedCaller({}, PHOTO_DEFINITION);
    const one = await mint(caller);
    const other = await mint(caller);
    const key = { "idempotency-key": "the-same-photo" };
    const first = await upload(one.token, "face.svg", key);
    const again = await upload(one.token, "face.svg", key);
    const others = await upload(other.token, "face.svg", key);
    expect(again.json.path).toBe(first.json.path);
    expect([others.status, others.headers.get("idempotency-replayed")]).toEqual([201, null]);
    expect(others.json.path).not.toBe(first.json.path);
  });

  test("in a session are seen and used by the same tokens alone", async () => {
    const caller = await newEmbedCaller({}, PHOTO_DEFINITION);
    const one = await mint(caller);
    const other = await mint(caller);
    const opened = await call("POST", "/api/embed/uploads", {
      token: one.token,
      json: { file_name: "face.svg", size_bytes: SVG.length },
    });
    expect(opened.status, opened.text).toBe(200);
    const { upload_id: id, upload_url: url, required_headers: headers } = opened.json;
    const { pathname, search } = new URL(url);
    const put = await call("PUT", pathname + search, { body: SVG, headers });
    expect(put.status, put.text).toBe(200);
    const routes = [
      ["GET", ""],
      ["POST", "/finalize"],
      ["POST", ":complete"],
      ["POST", ":abort"],
    ] as const;
    for (const [method, action] of routes) {
      const reply = await call(method, `/api/embed/uploads/${id}${action}`, { token: other.token });
      expect(answer(reply), action).toEqual([404, "not_found"]);
    }
    const own = await call("GET", `/api/embed/uploads/${id}`, { token: one.token });
    expect([own.status, own.json.status]).toEqual([200, "pending"]);
    const done = await call("POST", `/api/embed/uploads/${id}/finalize`, { token: one.token });
    expect([done.status, done.json.status], done.text).toEqual([200, "finalized"]);
    expect((await submitPhoto(one.token, done.json.path)).status).toBe(202);
    expect(answer(await submitPhoto(other.token, done.json.path))).toEqual([403, "forbidden"]);
    // A session of the workspace itself is not the token's.
    const theirs = await call("POST", "/api/v1/assets/uploads", {
      token: caller.token,
      json: { file_name: "own.svg", size_bytes: 9 },
    });
    const path = `/api/embed/uploads/${theirs.json.upload_id}`;
    expect(answer(await call("GET", path, { token: one.token }))).toEqual([404, "not_found"]);
  });

  test("are deleted at the end of the plan's retention, and not before", async () => {
    const caller = await newEmbedCaller({}, PHOTO_DEFINITION);
    const { token } = await mint(caller);
    const old = (await upload(token, "old.svg")).json.path;
    const young = (await upload(token, "young.svg")).json.path;
    await operator("PUT", "/admin/v1/plans/short", {
      name: "Short",
      limits: { output_retention_days: 2 },
    });
    await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: "short" });
    const age = (days: number, path: string) =>
      HOME_DB.prepare("UPDATE embed_assets SET created_at_ms = ? WHERE path = ?")
        .bind(Date.now() - days * 86_400_000, path)
        .run();
    await age(2.1, old);
    await age(1.9, young);
    await sweep();
    expect(await pathsOf(caller)).toEqual([young]);
    expect(answer(await submitPhoto(token, old))).toEqual([403, "forbidden"]);
  });
});

describe("the events of an embed", () => {
  test("leave out nodes, and are another token's secret", async () => {
    const caller = await newEmbedCaller();
    const { token } = await mint(caller);
    const { id } = (await submitEmbed(token, undefined, { prefer: "wait=30" })).json;
    const { text } = await call("GET", `/api/embed/executions/${id}/events`, { token });
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(["status", "progress", "output", "done"]));
    const own = await call("GET", `/api/v1/executions/${id}/events`, { token: caller.token });
    expect(own.text).toContain("event: node");
    const other = await mint(caller);
    const path = `/api/embed/executions/${id}/events`;
    expect(answer(await call("GET", path, other))).toEqual([404, "not_found"]);
    const last = /id: (\S+)\nevent: done/.exec(text)?.[1] ?? "";
    const headers = { "last-event-id": last };
    expect((await call("GET", path, { token, headers })).status).toBe(204);
  });

  test("end once their token is revoked, though the run goes on", async () => {
    const caller = await newEmbedCaller({}, CODES);
    const { token, jti } = await mint(caller);
    const run = await submitEmbed(token, { inputs: { rows: { value: '["a"]' } } });
    const events = call("GET", `/api/embed/executions/${run.json.id}/events`, { token });
    expect((await revoke(caller, jti)).status).toBe(204);
    // The reply has its body's end, which only the revocation brings: nothing here runs tasks.
    const { status, text } = await events;
    expect([status === 200 || status === 401, text.includes("event: done")]).toEqual([true, false]);
    const path = `/api/v1/executions/${run.json.id}`;
    expect((await call("GET", path, { token: caller.token })).json.status).toBe("running");
  });
});

test("a plan without embeds refuses the calls of live tokens, the editor's too", async () => {
  const caller = await newEmbedCaller();
  const { token } = await mint(caller);
  const editor = await call("POST", "/api/v1/embed/editor/tokens", {
    token: caller.token,
    json: { allowed_origins: ["https://app.example.com"] },
  });
  await operator("PUT", "/admin/v1/plans/embeds-off", {
    name: "Off",
    limits: { embed_access: false },
  });
  await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: "embeds-off" });
  expect(answer(await call("GET", "/api/embed/config", { token }))).toEqual([
    402,
    "plan_limit_exceeded",
  ]);
  const listed = await call("GET", "/api/v1/workflows", { token: editor.json.token });
  expect(answer(listed)).toEqual([402, "plan_limit_exceeded"]);
});

async function pathsOf(caller: EmbedCaller): Promise<string[]> {
  const { json } = await call("GET", "/api/v1/assets", { token: caller.token });
  return json.data.map(({ path }: { path: string }) => path);
}

/** What the cron trigger does. */
async function sweep(): Promise<void> {
  const execution = createExecutionContext();
  await worker.scheduled({} as ScheduledController, env, execution);
  await waitOnExecutionContext(execution);
}

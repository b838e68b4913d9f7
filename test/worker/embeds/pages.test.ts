/** docs/embeds.md#pages: headers, HTML, each error state, and the built files. */
import { beforeAll, describe, expect, test } from "vitest";
import { ERROR_TEXTS } from "../../../src/pages/embed/error-texts.ts";
import { call, newCaller, newWorkspace, operator, type Reply } from "../../support/api-caller.ts";
import {
  type EmbedCaller,
  mint,
  mintEditor,
  newEmbedCaller,
  resigned,
  revoke,
} from "../../support/embeds/embed-caller.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { withHome } from "../../support/home-database.ts";

const ORIGINS = ["https://app.example.com", "http://localhost:9001"];
const INTERFACE = `int_${"1".repeat(32)}`;
const OTHER_INTERFACE = `int_${"2".repeat(32)}`;

const policy = (origins: readonly string[]) =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  ["frame-ancestors 'self'", ...origins].join(" ");

let caller: EmbedCaller;
let token: string;
let editorToken: string;

beforeAll(async () => {
  const custom = (id: string) => ({
    id,
    name: "Short",
    fields: [{ key: "words", label: "Words", type: "text", required: true, bind: { node: "in" } }],
    outputs: [{ key: "said", label: "Said", node: "out" }],
  });
  caller = await newEmbedCaller(
    {},
    {
      ...ECHO_DEFINITION,
      interfaces: [custom(INTERFACE), custom(OTHER_INTERFACE)],
    },
  );
  ({ token } = await mint(caller, { allowed_origins: ORIGINS }));
  ({ token: editorToken } = await mintEditor(caller, { allowed_origins: ORIGINS }));
});

const open = (path: string, given = token, query = "") =>
  call("GET", `/embed/${path}?${given === "" ? "" : `token=${given}&`}${query}`);

function errorOf(reply: Reply): string | undefined {
  return /<meta name="svc-error" content="(\w+)">/.exec(reply.text)?.[1];
}

const CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const unescapeHtml = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (name) => CHARACTERS[name]!);

/** Checks what every page has, and that the token is nowhere in it. */
function expectPage(reply: Reply, given: string, origins: readonly string[]): void {
  expect(
    Object.fromEntries([...reply.headers].filter(([name]) => name !== "x-correlation-id")),
  ).toEqual(
    expect.objectContaining({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(origins),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
    }),
  );
  for (const absent of ["x-frame-options", "set-cookie"]) {
    expect(reply.headers.get(absent)).toBeNull();
  }
  if (given !== "") {
    expect(reply.text).not.toContain(given);
    expect(reply.text).not.toContain(given.slice(-20));
  }
  expect(reply.text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/);
}

describe("a page of the widget", () => {
  test("has its headers, names its files, and knows the token's origins", async () => {
    for (const path of [
      caller.workflowId,
      caller.workflowId.slice("wf_".length),
      caller.workflowId.toUpperCase(),
      `${caller.workflowId}/${INTERFACE}`,
    ]) {
      const reply = await open(path, token, "theme=dark&locale=de-AT");
      expect([reply.status, errorOf(reply)], path).toEqual([200, undefined]);
      expectPage(reply, token, ORIGINS);
      expect(reply.text).toContain('<html lang="de" dir="ltr" data-theme="dark">');
      expect(reply.text).toContain(
        `<meta name="svc-allowed-origins" content="${ORIGINS.join(" ")}">`,
      );
      expect(reply.text).toMatch(
        /<script type="module" src="\/embed\/assets\/widget-[\w-]{8}\.js"><\/script>/,
      );
    }
  });

  test("comes with what it shows, as its token could read it, and counts as one request", async () => {
    for (const interfaceId of [undefined, INTERFACE]) {
      const reply = await open([caller.workflowId, interfaceId].filter(Boolean).join("/"));
      const content = /<meta name="svc-config" content="([^"]*)">/.exec(reply.text)?.[1] ?? "";
      const query = interfaceId === undefined ? "" : `?interface=${interfaceId}`;
      const read = await call("GET", `/api/embed/config${query}`, { token });
      expect(read.json.interface?.id).toBe(interfaceId);
      expect(JSON.parse(unescapeHtml(content))).toEqual(read.json);
    }
    const refused = await open(caller.workflowId, "x");
    expect(refused.text).not.toContain("svc-config");
  });

  test("answers HEAD alike, and no other method", async () => {
    const path = `/embed/${caller.workflowId}?token=${token}`;
    const [get, head] = [await call("GET", path), await call("HEAD", path)];
    const plain = ({ headers }: Reply) =>
      [...headers].filter(([name]) => !/^(?:x-correlation-id|content-length|vary)$/.test(name));
    expect([head.status, head.text, plain(head)]).toEqual([200, "", plain(get)]);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const other = await call(method, path);
      expect([other.status, other.headers.get("allow")], method).toEqual([405, "GET, HEAD"]);
    }
  });

  test("lets uploads go to a configured store", async () => {
    const reply = await call("GET", `/embed/${caller.workflowId}?token=${token}`, {
      env: { S3_ENDPOINT: "https://store.example.com/base" },
    });
    expect(reply.headers.get("content-security-policy")).toContain(
      "; connect-src 'self' https://store.example.com; ",
    );
  });

  test("escapes the name of the workflow", async () => {
    const workflow = await call("PATCH", `/api/v1/workflows/${caller.workflowId}`, {
      token: caller.token,
      json: { name: `</title><script src="//evil.example">&"` },
    });
    expect(workflow.status, workflow.text).toBe(200);
    const reply = await open(caller.workflowId);
    expect(reply.text).toContain(
      "<title>&lt;/title&gt;&lt;script src=&quot;//evil.example&quot;&gt;&amp;&quot;</title>",
    );
  });
});

describe("a page of the editor", () => {
  test.each([
    ["workflowExternalId", () => caller.workflowId],
    ["workflow_external_id", () => caller.workflowId.slice("wf_".length)],
    ["workflow", () => caller.workflowId],
    ["name", () => "New"],
    ["workflowName", () => "New"],
    ["workflow_name", () => "New"],
  ])("opens by %s", async (name, value) => {
    const reply = await call("GET", `/embed/editor?editorToken=${editorToken}&${name}=${value()}`);
    expect([reply.status, errorOf(reply)]).toEqual([200, undefined]);
    expectPage(reply, editorToken, ORIGINS);
    expect(reply.text).toMatch(/src="\/embed\/assets\/editor-[\w-]{8}\.js"/);
  });
});

describe("an error page", () => {
  /** A token of the same claims with some changes. */
  const changed = (changes: Readonly<Record<string, unknown>>, of = token) => resigned(of, changes);
  /** A token of a workspace with a plan of its own. */
  async function onPlan(limits: Readonly<Record<string, unknown>>): Promise<string> {
    const plan = `plan-${crypto.randomUUID().slice(0, 8)}`;
    await operator("PUT", `/admin/v1/plans/${plan}`, { name: "Plan", limits });
    const other = await newCaller({ workspaceId: await newWorkspace(plan) });
    return changed({ ws_id: other.workspaceId, org_id: other.organizationId, aki: other.clientId });
  }
  const workflow = () => caller.workflowId;
  const none: readonly string[] = [];

  const states: readonly (readonly [
    code: string,
    status: number,
    name: string,
    origins: readonly string[],
    open: () => Promise<{ readonly path: string; readonly token: string; readonly query?: string }>,
  ])[] = [
    ["token_missing", 401, "without a token", none, async () => ({ path: workflow(), token: "" })],
    ["token_invalid", 401, "of a text", none, async () => ({ path: workflow(), token: "a.b.c" })],
    [
      "token_invalid",
      401,
      "of an access token",
      none,
      async () => ({ path: workflow(), token: caller.token }),
    ],
    [
      "token_invalid",
      401,
      "of another secret",
      none,
      async () => ({
        path: workflow(),
        token: await resigned(token, {}, "another secret of 32 bytes at least"),
      }),
    ],
    [
      "token_invalid",
      401,
      "of more than 8,192 characters",
      none,
      async () => ({
        path: workflow(),
        token: await changed({
          allowed_origins: Array.from({ length: 400 }, () => "https://a.example.com"),
        }),
      }),
    ],
    [
      "token_expired",
      401,
      "of a second ago",
      ORIGINS,
      async () => ({
        path: workflow(),
        token: await changed({ exp: Math.floor(Date.now() / 1000) - 1 }),
      }),
    ],
    [
      "token_revoked",
      401,
      "of a revoked token",
      ORIGINS,
      async () => {
        const minted = await mint(caller, { allowed_origins: ORIGINS });
        expect((await revoke(caller, minted.jti)).status).toBe(204);
        return { path: workflow(), token: minted.token };
      },
    ],
    [
      "embed_disabled",
      402,
      "of a plan without embeds",
      ORIGINS,
      async () => ({ path: workflow(), token: await onPlan({ embed_access: false }) }),
    ],
    [
      "workflow_mismatch",
      403,
      "of another workflow",
      ORIGINS,
      async () => ({ path: `wf_${"0".repeat(32)}`, token }),
    ],
    [
      "interface_mismatch",
      403,
      "whose path and query differ",
      ORIGINS,
      async () => ({
        path: `${workflow()}/${INTERFACE}`,
        token,
        query: `interface=${OTHER_INTERFACE}`,
      }),
    ],
    [
      "interface_mismatch",
      403,
      "of a token for another interface",
      ORIGINS,
      async () => ({
        path: `${workflow()}/${INTERFACE}`,
        token: await changed({ if: OTHER_INTERFACE }),
      }),
    ],
    [
      "wrong_token_type",
      403,
      "with the token of the editor",
      ORIGINS,
      async () => ({ path: workflow(), token: editorToken }),
    ],
    [
      "wrong_token_type",
      403,
      "of the editor with the token of a workflow",
      ORIGINS,
      async () => ({ path: "editor", token, query: "name=New" }),
    ],
    [
      "forbidden",
      403,
      "of a key that may not read workflows",
      ORIGINS,
      async () => ({
        path: workflow(),
        token: await changed({ permissions: ["ws:executions:create"] }),
      }),
    ],
    [
      "forbidden",
      403,
      "of the editor, of a key that may not read workflows",
      ORIGINS,
      async () => ({
        path: "editor",
        token: await changed({ permissions: [] }, editorToken),
        query: "name=N",
      }),
    ],
    [
      "interface_not_found",
      404,
      "of an unknown interface",
      ORIGINS,
      async () => ({ path: `${workflow()}/int_${"3".repeat(32)}`, token }),
    ],
    [
      "workflow_not_available",
      404,
      "of a malformed id",
      ORIGINS,
      async () => ({ path: "wf_1", token }),
    ],
    [
      "workflow_not_available",
      404,
      "of a workflow that was reverted",
      ORIGINS,
      async () => {
        const reverted = await publishedWorkflow(caller);
        await call("POST", `/api/v1/workflows/${reverted}/revert`, { token: caller.token });
        return { path: reverted, token: await changed({ wf: reverted }) };
      },
    ],
    [
      "workflow_not_available",
      404,
      "of a deleted workflow",
      ORIGINS,
      async () => {
        const deleted = await publishedWorkflow(caller);
        await call("DELETE", `/api/v1/workflows/${deleted}`, { token: caller.token });
        return { path: deleted, token: await changed({ wf: deleted }) };
      },
    ],
    [
      "workflow_not_available",
      404,
      "of the editor, of an unknown workflow",
      ORIGINS,
      async () => ({ path: "editor", token: editorToken, query: `workflow=wf_${"0".repeat(32)}` }),
    ],
    [
      "missing_name",
      400,
      "of the editor without a workflow and a name",
      ORIGINS,
      async () => ({ path: "editor", token: editorToken }),
    ],
    [
      "too_many_requests",
      429,
      "beyond the plan's figure",
      ORIGINS,
      async () => {
        const slow = await onPlan({ embed_requests_per_minute: 1, requests_per_minute: 1_000 });
        await open(workflow(), slow);
        return { path: workflow(), token: slow };
      },
    ],
  ];

  test.each(states)("%s (%i): %s", async (code, status, _, origins, prepare) => {
    const { path, token: given, query } = await prepare();
    const reply = await open(path, given, query);
    expect([errorOf(reply), reply.status]).toEqual([code, status]);
    expectPage(reply, given, origins);
    expect(reply.text).toContain(`<code>${reply.headers.get("x-correlation-id") ?? "none"}</code>`);
    expect(reply.headers.has("retry-after")).toBe(status === 429);
  });

  test("has a state for each code, and its text in each language", () => {
    expect([...new Set(states.map(([code]) => code)), "internal_error"].toSorted()).toEqual(
      Object.keys(ERROR_TEXTS.en.errors).toSorted(),
    );
    const texts = Object.values(ERROR_TEXTS).map(({ errors }) => Object.values(errors).flat());
    expect(new Set(texts.flat()).size).toBe(6 * 14 * 2);
  });

  test("is in the language, direction and theme of the query", async () => {
    const reply = await open(workflow(), "a.b.c", "locale=ar&theme=light&layout=headless");
    expect(reply.text).toContain('<html lang="ar" dir="rtl" data-theme="light">');
    expect(reply.text).toContain('data-layout="headless"');
    expect(reply.text).toContain(`<h1>${ERROR_TEXTS.ar.errors.token_invalid[0]}</h1>`);
  });

  test("is shown when the service fails, to the token's origins", async () => {
    const reply = await call("GET", `/embed/${workflow()}?token=${token}`, {
      env: {
        ...withHome({
          prepare() {
            throw new Error("planted");
          },
        }),
      },
    });
    expect([errorOf(reply), reply.status]).toEqual(["internal_error", 500]);
    expectPage(reply, token, ORIGINS);
    expect(reply.text).not.toContain("planted");
  });
});

describe("the built files", () => {
  test("of pages are kept for good, under names of the manifest alone", async () => {
    const page = await open(caller.workflowId);
    const [, path = ""] = /src="(\/embed\/assets\/[^"]+)"/.exec(page.text) ?? [];
    const file = await call("GET", path);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    const etag = file.headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const again = await call("GET", path, { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    for (const name of [
      "manifest.json",
      "build.json",
      "..%2Fmanifest.json",
      "x.js",
      "constructor",
    ]) {
      const other = await call("GET", `/embed/assets/${name}`);
      expect([other.status, other.json?.code], name).toEqual([404, "not_found"]);
    }
  });

  test.each([
    ["v1.js", "text/javascript; charset=utf-8"],
    ["v1.mjs", "text/javascript; charset=utf-8"],
    ["v1.d.ts", "text/plain; charset=utf-8"],
    ["v1.d.mts", "text/plain; charset=utf-8"],
  ])("of the SDK are for pages of any origin: %s", async (name, type) => {
    const { status, headers } = await call("GET", `/embed/sdk/${name}`);
    expect(status).toBe(200);
    expect(headers.get("etag")).not.toBeNull();
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": type,
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    expect((await call("GET", "/embed/sdk/v2.js")).status).toBe(404);
  });
});

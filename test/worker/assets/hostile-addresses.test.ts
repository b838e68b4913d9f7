/**
 * One list of hostile addresses, at every place where a caller may name one that the service fetches:
 * imports, media inputs, utility/media_from_url. Receivers of webhooks: test/e2e/webhooks.test.ts; the
 * check itself: test/unit/platform/egress.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { TaskRoom } from "../../../durable-objects/executor/task-room.ts";
import { createFetchMedia } from "../../../src/workers/shared/fetch-media.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { call, newCaller, newWorkspace } from "../../support/api-caller.ts";
import { HOSTILE_URLS } from "../../support/egress/url-vectors.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";

/** Imports of one workspace are limited to 60 a minute. */
const AT_ONCE = 50;

async function allKeys(): Promise<string[]> {
  const { objects } = await env.FILES.list();
  // With several databases, a sign-in notes the shard of its key.
  return objects.map(({ key }) => key).filter((key) => !key.startsWith("directory/"));
}

/** Records every request that leaves the service: there must be none. */
const fetched: string[] = [];
const realFetch = globalThis.fetch;

beforeAll(() => {
  globalThis.fetch = (input, init) => {
    fetched.push(input instanceof Request ? input.url : String(input));
    return realFetch(input, init);
  };
  return () => {
    globalThis.fetch = realFetch;
  };
});

it("the list has more than a hundred and fifty of them", () => {
  expect(new Set(HOSTILE_URLS).size).toBeGreaterThan(150);
});

describe("a hostile address", () => {
  it("is refused by an import, which leaves nothing", async () => {
    const before = await allKeys();
    for (let at = 0; at < HOSTILE_URLS.length; at += AT_ONCE) {
      const { token } = await newCaller();
      for (const url of HOSTILE_URLS.slice(at, at + AT_ONCE)) {
        const { status, json } = await call("POST", "/api/v1/assets/import", {
          token,
          json: { url, file_name: "x.png" },
        });
        expect([status, json.code], JSON.stringify(url)).toEqual([
          400,
          url === "" ? "invalid_request" : "invalid_url",
        ]);
      }
      const list = await call("GET", "/api/v1/assets", { token });
      expect(list.json.total_count).toBe(0);
    }
    expect(await allKeys()).toEqual(before);
  });

  it("is refused as a media input before a run is created", async () => {
    const caller = await newCaller();
    const workflow = await publishedWorkflow(caller, {
      nodes: [
        { id: "picture", type: "input/image", label: "picture", parameters: { required: true } },
        { id: "out", type: "output/image", parameters: { key: "out" } },
      ],
      connections: [
        { from: { node: "picture", port: "image" }, to: { node: "out", port: "image" } },
      ],
    });
    for (const url of HOSTILE_URLS) {
      const { status, json } = await call("POST", "/api/v1/executions", {
        token: caller.token,
        json: { workflow, inputs: { picture: { value: JSON.stringify(url) } } },
      });
      expect([status, json.code], JSON.stringify(url)).toEqual([400, "validation_error"]);
    }
    const runs = await call("GET", "/api/v1/executions", { token: caller.token });
    expect(runs.json.data ?? runs.json.executions).toEqual([]);
  });

  it("fails utility/media_from_url, which leaves nothing", async () => {
    const before = await allKeys();
    const workspaceId = await newWorkspace();
    const fetchMedia = createFetchMedia(env as never, {
      workspaceId,
      filePrefix: `${workspaceId}/runs/run_x/`,
      room: new TaskRoom(true, () => undefined),
      signal: new AbortController().signal,
      exchangeMemory: () => Promise.resolve(),
    });
    for (const url of HOSTILE_URLS) {
      const refused = await fetchMedia(url, "image").catch((error: unknown) => error);
      expect(refused, JSON.stringify(url)).toBeInstanceOf(NodeError);
      expect((refused as NodeError).code, JSON.stringify(url)).toBe("MEDIA_URL_REFUSED");
      // The address may contain a secret, and a customer may see the message.
      expect((refused as NodeError).message).not.toContain("password");
    }
    expect(await allKeys()).toEqual(before);
  });

  it("never leads to a request", () => {
    expect(fetched).toEqual([]);
  });
});

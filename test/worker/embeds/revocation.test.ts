/**
 * docs/contract/embeds.md#revocation and #tokens, by a clock that the tests move: how long an isolate goes on that did not
 * revoke a token or its key itself. The object and D1 are told here as another isolate tells them.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { changeAccess } from "../../../src/domain/access/access-facts.ts";
import { markApiKeyRevoked } from "../../../src/storage/d1/api-key-store.ts";
import { organizationAccessObject } from "../../../src/storage/objects/organization-access-object.ts";
import { embedTokenObject } from "../../../src/storage/objects/embed-token-object.ts";
import worker from "../../../src/worker.ts";
import { call, ORIGIN } from "../../support/api-caller.ts";
import {
  type EmbedCaller,
  mint,
  mintEditor,
  newEmbedCaller,
  revoke,
  submitEmbed,
} from "../../support/embeds/embed-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";

/** Within which a revoked token is refused everywhere, and the tokens of a revoked key. */
const TOKEN_BOUND_MS = 1_000;
const KEY_BOUND_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

async function revokeElsewhere({ workspaceId }: EmbedCaller, jti: string): Promise<void> {
  await embedTokenObject({ env }, workspaceId, jti).revoke({
    v: 1,
    until_ms: Date.now() + 86_400_000,
  });
}

/** A run that does not end, because nothing here runs its tasks. */
async function runOf(token: string): Promise<string> {
  const { status, json, text } = await submitEmbed(token, {
    inputs: { rows: { value: '["a"]' } },
  });
  expect(status, text).toBe(202);
  return json.id;
}

type Requests = (
  caller: EmbedCaller,
  token: string,
  run: string,
) => readonly (readonly [method: string, path: string])[];

/** One request for each thing that a token opens: both pages and each kind of call. */
const opened: Readonly<Record<"runtime" | "editor", Requests>> = {
  runtime: ({ workflowId }, token, run) => [
    ["GET", `/embed/${workflowId}?token=${token}`],
    ["GET", "/api/embed/config"],
    ["POST", "/api/embed/check-execution"],
    ["POST", "/api/embed/executions"],
    ["GET", `/api/embed/executions/${run}`],
    ["GET", `/api/embed/executions/${run}/result`],
    ["GET", `/api/embed/executions/${run}/events`],
    ["POST", `/api/embed/executions/${run}/cancel`],
    ["POST", "/api/embed/assets"],
    ["POST", "/api/embed/uploads"],
  ],
  editor: ({ workflowId }, token, run) => [
    ["GET", `/embed/editor?workflow=${workflowId}&token=${token}`],
    ["GET", "/api/v1/workflows"],
    ["GET", `/api/v1/workflows/${workflowId}/definition`],
    ["POST", `/api/v1/workflows/${workflowId}/publish`],
    ["GET", "/api/v1/node-types"],
    ["POST", "/api/v1/executions"],
    ["GET", `/api/v1/executions/${run}`],
    ["GET", `/api/v1/executions/${run}/events`],
    ["GET", "/api/v1/assets"],
  ],
};

/** The pauses between two looks at a token, which end when the test says so. */
class LooksByHand {
  readonly #due: { readonly ms: number; readonly end: () => void }[] = [];
  #onDue = () => {};

  constructor() {
    vi.spyOn(scheduler, "wait").mockImplementation(
      (ms) =>
        new Promise((resolve) => {
          this.#due.push({ ms, end: () => resolve() });
          this.#onDue();
        }),
    );
  }

  /** The length of the pause that goes on. */
  dueMs(): number {
    return this.#due[0]!.ms;
  }

  /** Ends the pause, and resolves to false when the next one has begun. */
  take(): Promise<false> {
    const next = new Promise<false>((resolve) => {
      this.#onDue = () => resolve(false);
    });
    this.#due.shift()!.end();
    return next;
  }
}

describe.each(["runtime", "editor"] as const)("of a %s token", (kind) => {
  const mintOf = (caller: EmbedCaller) => (kind === "runtime" ? mint : mintEditor)(caller);
  const known = kind === "runtime" ? "/api/embed/config" : "/api/v1/workflows";
  const statusOf = async (token: string) => (await call("GET", known, { token })).status;

  test("is known to each isolate within half a second, and then to every page and call", async () => {
    const caller = await newEmbedCaller({}, CODES);
    const run = await runOf((await mint(caller)).token);
    const { token, jti } = await mintOf(caller);
    expect(await statusOf(token)).toBe(200);
    await revokeElsewhere(caller, jti);
    // What this isolate was told a moment ago still counts, and no longer than half of the bound.
    pass(TOKEN_BOUND_MS / 2 - 1);
    expect(await statusOf(token)).toBe(200);
    pass(1);
    for (const [method, path] of opened[kind](caller, token, run)) {
      const isPage = path.startsWith("/embed/");
      const reply = await call(method, path, isPage ? {} : { token });
      expect(reply.status, path).toBe(401);
      if (isPage) {
        expect(reply.text).toContain('<meta name="svc-error" content="token_revoked">');
      } else {
        expect(reply.json.reason, path).toBe("token_revoked");
      }
    }
  });

  test("ends at its stated time, or after 30 days: a token that outlives it works again", async () => {
    const caller = await newEmbedCaller();
    const day = 86_400_000;
    const end = new Date(Date.now() + 2 * day).toISOString();
    const [short, long] = [await mintOf(caller), await mintOf(caller)];
    expect((await revoke(caller, short.jti, `?expires_at=${end}`)).status).toBe(204);
    expect((await revoke(caller, long.jti)).status).toBe(204);
    const statuses = async () => [await statusOf(short.token), await statusOf(long.token)];
    expect(await statuses()).toEqual([401, 401]);
    pass(2 * day - 1_000);
    expect(await statuses()).toEqual([401, 401]);
    pass(2_000);
    expect(await statuses()).toEqual([200, 401]);
    pass(28 * day - 5_000);
    expect(await statuses()).toEqual([200, 401]);
    pass(10_000);
    expect(await statuses()).toEqual([200, 200]);
  });

  test("ends its open streams within a second", async () => {
    const caller = await newEmbedCaller({}, CODES);
    const { token, jti } = await mintOf(caller);
    const run = await runOf((kind === "runtime" ? { token } : await mint(caller)).token);
    const looks = new LooksByHand();
    const base = kind === "runtime" ? "/api/embed" : "/api/v1";
    // In the test's own request: only there may it resolve what the stream waits for.
    const response = await worker.fetch(
      new Request<unknown, IncomingRequestCfProperties>(
        `${ORIGIN}${base}/executions/${run}/events`,
        { headers: { authorization: `Bearer ${token}` } },
      ),
      env,
      createExecutionContext(),
    );
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    // All that the run has told so far: it is then waiting for its tasks.
    let told = "";
    while (!told.includes('"running"')) {
      told += decoder.decode((await reader.read()).value);
    }
    const isOver = (async () => {
      for (let part = await reader.read(); !part.done;) {
        part = await reader.read();
      }
      return true;
    })();
    // The worst moment: the token was asked about just before, and the next look comes while that answer still counts.
    expect(await statusOf(token)).toBe(200);
    await revokeElsewhere(caller, jti);
    let passedMs = 0;
    for (let isFirst = true; ; isFirst = false) {
      const ms = isFirst ? TOKEN_BOUND_MS / 2 - 1 : looks.dueMs();
      pass(ms);
      passedMs += ms;
      if (passedMs > TOKEN_BOUND_MS || (await Promise.race([isOver, looks.take()]))) {
        break;
      }
    }
    expect(passedMs).toBeLessThanOrEqual(TOKEN_BOUND_MS);
    expect(await isOver).toBe(true);
  });

  test("refuses a call that waits for a run, once it answers", async () => {
    const caller = await newEmbedCaller({}, CODES);
    const { token, jti } = await mintOf(caller);
    const run = await runOf((kind === "runtime" ? { token } : await mint(caller)).token);
    const base = kind === "runtime" ? "/api/embed" : "/api/v1";
    let onRead = () => {};
    const isReading = new Promise<void>((resolve) => {
      onRead = resolve;
    });
    const RUN = new Proxy(env.RUN, {
      get(target, name) {
        onRead();
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    const reply = call("GET", `${base}/executions/${run}`, {
      token,
      headers: { prefer: "wait=1" },
      env: { RUN },
    });
    // The call was accepted: it asks the run, which goes on.
    await isReading;
    await revokeElsewhere(caller, jti);
    pass(TOKEN_BOUND_MS / 2);
    const { status, json } = await reply;
    expect([status, json.reason]).toEqual([401, "token_revoked"]);
  });

  test("follows from that of its key, within a minute", async () => {
    const caller = await newEmbedCaller();
    const { token } = await mintOf(caller);
    expect(await statusOf(token)).toBe(200);
    // As another isolate does it.
    const log = { info: () => {}, error: () => {}, with: () => log };
    const access = organizationAccessObject(env, caller.organizationId);
    await changeAccess({ log }, access, caller.clientId, () =>
      markApiKeyRevoked(env, caller.workspaceId, caller.clientId, Date.now()),
    );
    // What this isolate has read still counts, and no longer than half of the bound.
    pass(KEY_BOUND_MS / 2);
    const { status, json } = await call("GET", known, { token });
    expect([status, json.reason]).toEqual([401, "token_revoked"]);
  });

  test("follows from the end of its key", async () => {
    const dayMs = 86_400_000;
    const end = new Date(Date.now() + dayMs).toISOString();
    const caller = await newEmbedCaller({ expires_at: end });
    const { token } = await mintOf(caller);
    expect(await statusOf(token)).toBe(200);
    pass(dayMs - 5_000);
    expect(await statusOf(token)).toBe(200);
    pass(5_000 + KEY_BOUND_MS);
    const { status, json } = await call("GET", known, { token });
    expect([status, json.reason]).toEqual([401, "token_revoked"]);
  });
});

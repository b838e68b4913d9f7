import { describe, expect, test } from "vitest";
import { EgressError } from "../../../../src/platform/egress/egress-error.ts";
import {
  guardedFetch,
  type GuardedFetchOptions,
} from "../../../../src/platform/egress/guarded-fetch.ts";
import { HOSTILE_URLS } from "../../../support/egress/url-vectors.ts";

const LOCAL = { ENVIRONMENT: "local" };
const DEPLOYED = { ENVIRONMENT: "production" };

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: string | undefined;
}

/** A network in memory: each response is used once, in order; the last one repeats. */
function network(...answers: (() => Response | Promise<Response>)[]) {
  const sent: Sent[] = [];
  const send = (async (input: string, init?: RequestInit) => {
    sent.push({ url: input, headers: new Headers(init?.headers), redirect: init?.redirect });
    const reply = answers[Math.min(sent.length, answers.length) - 1]!;
    return reply();
  }) as typeof fetch;
  return { sent, send };
}

function get(
  url: string,
  send: typeof fetch,
  more: Partial<GuardedFetchOptions> = {},
  env = LOCAL,
) {
  return guardedFetch(env, url, {
    responseTimeoutMs: 1_000,
    totalTimeoutMs: 1_000,
    maxBytes: 1_000,
    redirects: "follow",
    send,
    ...more,
  });
}

function to(location: string, status = 302) {
  return () => new Response(null, { status, headers: { location } });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof EgressError ? error.code : `not an EgressError: ${String(error)}`;
}

describe("a guarded request", () => {
  test("is never sent to a hostile address, as first address or as target of a redirect", async () => {
    for (const hostile of HOSTILE_URLS) {
      const first = network(() => new Response("reached"));
      expect(await codeOf(get(hostile, first.send)), hostile).toBe("url_refused");
      expect(first.sent, hostile).toEqual([]);
      // A redirect is relative to its own address, so only absolute addresses lead elsewhere.
      const absolute = /^[a-z-]+:/i.test(hostile) && URL.canParse(hostile);
      // oxlint-disable-next-line no-control-regex -- a location that the parser has corrected is no longer hostile
      if (absolute && !/[\u0000-\u0020\\]/.test(hostile) && hostile.isWellFormed()) {
        const target = new URL(hostile).href;
        const moved = network(
          () => {
            const response = new Response(null, { status: 302 });
            response.headers.set("location", encodeURI(target).replaceAll("%25", "%"));
            return response;
          },
          () => new Response("reached"),
        );
        expect(await codeOf(get("https://example.com/", moved.send)), hostile).toBe("url_refused");
        expect(
          moved.sent.map(({ url }) => url),
          hostile,
        ).toEqual(["https://example.com/"]);
      }
    }
  });

  test("reports if the target of a redirect breaks a rule", async () => {
    const moved = network(
      () => new Response(null, { status: 302, headers: { location: "https://localhost/x" } }),
    );
    await expect(get("https://example.com/", moved.send)).rejects.toThrow(
      "The address redirects to one that may not be called: its host is a name without a dot.",
    );
    await expect(get("https://localhost/", moved.send)).rejects.toThrow(
      "The address may not be called: its host is a name without a dot.",
    );
  });

  test("follows five redirects itself, but not a sixth", async () => {
    const five = network(...[1, 2, 3, 4, 5].map((n) => to(`/${n}`)), () => new Response("there"));
    const reply = await get("https://example.com/", five.send);
    expect(await new Response(reply.body).text()).toBe("there");
    expect(reply.url).toBe("https://example.com/5");
    expect(five.sent.every(({ redirect }) => redirect === "manual")).toBe(true);
    const six = network(to("/again"));
    expect(await codeOf(get("https://example.com/", six.send))).toBe("too_many_redirects");
    expect(six.sent).toHaveLength(6);
  });

  test("drops credentials at the first redirect to another origin, and keeps them within one", async () => {
    const headers = { authorization: "Bearer x", cookie: "a=b", accept: "text/plain" };
    const { send, sent } = network(
      to("/same"),
      to("https://other.example/"),
      to("https://example.com/back"),
      () => new Response("end"),
    );
    await get("https://example.com/", send, { headers });
    expect(sent.map((request) => request.headers.get("authorization"))).toEqual([
      "Bearer x",
      "Bearer x",
      null,
      null,
    ]);
    expect(sent.map((request) => request.headers.get("cookie"))).toEqual([
      "a=b",
      "a=b",
      null,
      null,
    ]);
    expect(sent.at(-1)?.headers.get("accept")).toBe("text/plain");
  });

  test("returns a redirect to a caller that follows none, and never follows one of a POST", async () => {
    const { send, sent } = network(to("https://other.example/", 307));
    const reply = await get("https://example.com/", send, { redirects: "refuse" });
    expect(reply.status).toBe(307);
    expect(sent).toHaveLength(1);
    const posted = network(to("https://other.example/", 307));
    const post = get("https://example.com/", posted.send, { method: "POST", body: "x" });
    expect(await codeOf(post)).toBe("too_many_redirects");
    expect(posted.sent).toHaveLength(1);
  });

  test("fails for a body larger than its limit, and for one that does not end in time", async () => {
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new Uint8Array(400));
          },
        }),
      );
    const large = await get("https://example.com/", network(endless).send);
    expect(await codeOf(new Response(large.body).text())).toBe("body_too_large");
    let isCancelled = false;
    const silent = () =>
      new Response(
        new ReadableStream({
          cancel() {
            isCancelled = true;
          },
        }),
      );
    const hung = await get("https://example.com/", network(silent).send, { totalTimeoutMs: 30 });
    expect(await codeOf(new Response(hung.body).text())).toBe("timeout");
    expect(isCancelled).toBe(true);
  });

  test("waits no longer than requested for headers, also for a connection that ignores its signal", async () => {
    const never = network(() => new Promise<Response>(() => undefined));
    expect(await codeOf(get("https://example.com/", never.send, { responseTimeoutMs: 20 }))).toBe(
      "timeout",
    );
  });

  test("reports a failed connection as such, whatever the platform throws", async () => {
    const broken = network(() => {
      throw new Error("internal error; reference = 1234");
    });
    expect(await codeOf(get("https://example.com/", broken.send))).toBe("connection_failed");
  });

  test("distinguishes a response that breaks off from a host that never responded", async () => {
    const cut = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new Uint8Array(4));
          },
          pull(controller) {
            controller.error(new Error("network connection lost"));
          },
        }),
      );
    const { body } = await get("https://example.com/", network(cut).send);
    await expect(new Response(body).text()).rejects.toThrow("The response ended early.");
  });
});

describe("a deployment's guarded request", () => {
  const dns = (addresses: readonly string[]) => (input: string) =>
    input.startsWith("https://cloudflare-dns.com/")
      ? Response.json({
          Reply: addresses.map((data) => ({ type: data.includes(":") ? 28 : 1, data })),
        })
      : new Response("reached");
  const resolving = (addresses: readonly string[]) =>
    (async (input: string) => dns(addresses)(input)) as unknown as typeof fetch;

  test("is rejected if any address of the name is not public", async () => {
    for (const addresses of [["10.0.0.1"], ["8.8.8.8", "169.254.169.254"], ["::1"], ["fd00::1"]]) {
      const sent = get("https://example.com/", resolving(addresses), {}, DEPLOYED);
      expect(await codeOf(sent), addresses.join()).toBe("url_refused");
    }
  });

  test("is sent if all are public, if there is none, and if the resolver is down", async () => {
    const down = (async (input: string) => {
      if (input.startsWith("https://cloudflare-dns.com/")) {
        throw new Error("down");
      }
      return new Response("reached");
    }) as unknown as typeof fetch;
    for (const send of [resolving(["8.8.8.8", "2606:4700::1"]), resolving([]), down]) {
      const reply = await get("https://example.com/", send, {}, DEPLOYED);
      expect(await new Response(reply.body).text()).toBe("reached");
    }
  });
});

describe("a local guarded request", () => {
  const naming = (addresses: readonly string[]) => ({
    ENVIRONMENT: "local",
    EGRESS_ALLOW_LOOPBACK: "127.0.0.1:9000",
    RESOLVER: { fetch: async () => Response.json(addresses) } as unknown as Fetcher,
  });

  test("is rejected before it is sent if its name resolves to an address that is not public", async () => {
    for (const addresses of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"]]) {
      const sent: string[] = [];
      const send = (async (input: string) => {
        sent.push(input);
        return new Response("reached");
      }) as unknown as typeof fetch;
      const reply = get("https://rebound.example/", send, {}, naming(addresses));
      expect([await codeOf(reply), sent], addresses.join()).toEqual(["url_refused", []]);
    }
  });

  test("is sent to an excepted loopback host without a lookup of its name", async () => {
    const send = (async () => new Response("reached")) as unknown as typeof fetch;
    const reply = await get("http://127.0.0.1:9000/", send, {}, naming(["10.0.0.1"]));
    expect(await new Response(reply.body).text()).toBe("reached");
  });
});

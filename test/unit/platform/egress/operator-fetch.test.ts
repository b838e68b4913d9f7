/** Calls to operators' addresses, with real servers on this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EgressError } from "../../../../src/platform/egress/egress-error.ts";
import { guardedFetch } from "../../../../src/platform/egress/guarded-fetch.ts";
import {
  checkBaseUrl,
  ofBase,
  urlBelow,
} from "../../../../src/platform/egress/check-operator-url.ts";
import {
  operatorFetch,
  type OperatorFetchOptions,
} from "../../../../src/platform/egress/operator-fetch.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** A server whose responses each test sets, and its received requests. */
class TestServer {
  readonly asked: { readonly url: string; readonly headers: IncomingMessage["headers"] }[] = [];
  handle: Handle = (_request, response) => response.end("ok");
  readonly #server: Server = createServer((request, response) => {
    this.asked.push({ url: request.url ?? "", headers: request.headers });
    this.handle(request, response);
  });
  host = "";

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    this.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const [api, other] = [new TestServer(), new TestServer()];
let env: { ENVIRONMENT: string; PROVIDERS_ALLOW_LOOPBACK: string; EGRESS_ALLOW_LOOPBACK: string };
let base = "";

beforeAll(async () => {
  await Promise.all([api.start(), other.start()]);
  base = `http://${api.host}/v1`;
  env = {
    ENVIRONMENT: "local",
    PROVIDERS_ALLOW_LOOPBACK: api.host,
    EGRESS_ALLOW_LOOPBACK: other.host,
  };
});

afterAll(() => {
  api.stop();
  other.stop();
});

beforeEach(() => {
  for (const server of [api, other]) {
    server.asked.length = 0;
    server.handle = (_request, response) => response.end("ok");
  }
});

const LIMITS = { responseTimeoutMs: 2_000, totalTimeoutMs: 2_000, maxBytes: 1_000_000 };
const KEY = { authorization: "Bearer the-operator's-key", "x-api-key": "another" };

function call(path: string, more: Partial<OperatorFetchOptions> = {}) {
  return operatorFetch(env, base, urlBelow(new URL(base), path), {
    ...LIMITS,
    maxRequestBytes: 1_000_000,
    headers: KEY,
    ...more,
  });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof EgressError) {
    // Text for a log or a caller contains no address and no key.
    expect(error.message).not.toMatch(/127\.0\.0\.1|the-operator/);
  }
  return error instanceof EgressError ? error.code : `not an EgressError: ${String(error)}`;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) {
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

describe("an operator's base address", () => {
  const loopback = new Set(["127.0.0.1:8000", "localhost:11434"]);
  test.each([
    "https://api.example.com",
    "https://api.example.com:8443/v1/",
    "https://vllm.internal/v1",
    "https://8.8.8.8/v1",
    "https://[2606:4700:4700::1111]/",
    "http://127.0.0.1:8000/v1",
    "http://localhost:11434/v1",
    "https://localhost:11434",
  ])("may be %s", (text) => {
    expect(checkBaseUrl(text, loopback)).toMatchObject({ isAllowed: true });
  });

  test.each([
    "http://api.example.com/v1",
    "https://user:password@api.example.com/v1",
    "https://api.example.com/v1?x=1",
    "https://api.example.com/v1?",
    "https://api.example.com/v1#top",
    "https://api.example.com/v1#",
    "https://localhost/v1",
    "https://api.localhost/v1",
    "https://localhost./v1",
    "https://127.0.0.1/v1",
    "https://127.1/v1",
    "https://0x7f000001/",
    "https://10.0.0.7/v1",
    "https://169.254.169.254/latest",
    "https://[::1]/v1",
    "https://[::ffff:10.0.0.1]/v1",
    "https://[fd00::1]/v1",
    "http://127.0.0.1:8001/v1",
    // Excepted hosts are accepted in their canonical notation only.
    "http://127.1:8000/v1",
    "http://2130706433:8000/v1",
    "http://0x7f.1:8000/v1",
    "http://LOCALHOST:11434/v1",
    "http://localhost:8000/v1",
    "ftp://api.example.com",
    "https://api.example.com/v1\n",
    "https:\\\\api.example.com",
    "not an address",
  ])("may not be %j", (text) => {
    expect(checkBaseUrl(text, loopback)).toMatchObject({ isAllowed: false });
  });

  test("keeps every path below it", () => {
    const at = (path: string) => urlBelow(new URL("https://api.example.com/v1/"), path).href;
    expect(at("/models")).toBe("https://api.example.com/v1/models");
    expect(at("//evil.example/x")).toBe("https://api.example.com/v1//evil.example/x");
    expect(() => at("/../admin")).toThrow(TypeError);
    expect(() => at("/%2e%2e/v10")).toThrow(TypeError);
    expect(() => at("@evil.example/")).toThrow(TypeError);
  });

  test("sends its key to addresses of its own origin only", () => {
    const own = new URL("https://api.example.com:8443/v1");
    expect(ofBase(own, "https://api.example.com:8443/jobs/1?x=1")?.pathname).toBe("/jobs/1");
    for (const named of [
      "https://api.example.com/jobs/1",
      "http://api.example.com:8443/jobs/1",
      "https://api.example.com.evil.example:8443/",
      "https://api.example.com:8443@evil.example/",
      "https://user@api.example.com:8443/jobs/1",
      "//api.example.com:8443/jobs",
      undefined,
      42,
    ]) {
      expect(ofBase(own, named)).toBeUndefined();
    }
  });
});

describe("a call of an operator's address", () => {
  test("sends its key and a body of any kind", async () => {
    const got: { type: string | undefined; body: Buffer }[] = [];
    api.handle = (request, response) => {
      void readAll(request).then((body) => {
        got.push({ type: request.headers["content-type"], body });
        response.end("ok");
      });
    };
    const form = new FormData();
    form.set("model", "m");
    form.set("image", new Blob([new Uint8Array([1, 2, 3])]), "a.png");
    const bytes = new Uint8Array([9, 8, 7]);
    for (const body of [
      "text",
      bytes,
      new Blob([bytes]),
      form,
      new URLSearchParams({ a: "b" }),
      new Blob([bytes]).stream() as ReadableStream<Uint8Array>,
    ]) {
      const reply = await call("/images", { method: "POST", body });
      expect(reply.status).toBe(200);
      await reply.body.cancel();
    }
    expect(api.asked.every(({ headers }) => headers["x-api-key"] === "another")).toBe(true);
    expect(got.map(({ body }) => body.length).toSpliced(3, 1)).toEqual([4, 3, 3, 3, 3]);
    expect(got[3]!.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(got[3]!.body.includes(Buffer.from([1, 2, 3]))).toBe(true);
  });

  test("streams the request: the first piece is sent before the last is created", async () => {
    let seen = 0;
    const firstSeen = Promise.withResolvers<void>();
    api.handle = (request, response) => {
      request.on("data", (piece: Buffer) => {
        seen += piece.length;
        firstSeen.resolve();
      });
      request.on("end", () => response.end(String(seen)));
    };
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (pulls++ === 0) {
            controller.enqueue(new Uint8Array(10));
          } else {
            await firstSeen.promise;
            controller.enqueue(new Uint8Array(5));
            controller.close();
          }
        },
      },
      { highWaterMark: 0 },
    );
    const reply = await call("/audio", { method: "POST", body });
    expect(await new Response(reply.body).text()).toBe("15");
  });

  test("streams the response: the first piece can be read before the last is sent", async () => {
    const readOne = Promise.withResolvers<void>();
    api.handle = (_request, response) => {
      response.write("first");
      void readOne.promise.then(() => response.end("last"));
    };
    const { body } = await call("/chat");
    const reader = body.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("first");
    readOne.resolve();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("last");
    expect((await reader.read()).done).toBe(true);
  });

  test("ends at its byte limits, of the request and of the response", async () => {
    for (const body of ["x".repeat(101), new Blob(["x".repeat(101)]).stream()]) {
      const sent = call("/x", { method: "POST", body, maxRequestBytes: 100 });
      expect(await codeOf(sent)).toBe("body_too_large");
    }
    api.handle = (_request, response) => response.end("x".repeat(101));
    const { body } = await call("/x", { maxBytes: 100 });
    expect(await codeOf(new Response(body).text())).toBe("body_too_large");
  });

  test("ends at its time limits, before a response and within one, and when its caller aborts it", async () => {
    api.handle = () => undefined;
    expect(await codeOf(call("/x", { responseTimeoutMs: 50 }))).toBe("timeout");
    api.handle = (_request, response) => response.write("begun");
    const { body } = await call("/x", { totalTimeoutMs: 100 });
    expect(await codeOf(new Response(body).text())).toBe("timeout");
    const abort = new AbortController();
    api.handle = () => {
      abort.abort(new Error("cancelled"));
    };
    await expect(call("/x", { signal: abort.signal })).rejects.toThrow("cancelled");
  });

  test("follows no redirect, and sends its key nowhere else", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      api.handle = (_request, response) => {
        response.writeHead(status, { location: `http://${other.host}/steal` }).end();
      };
      expect(await codeOf(call("/x"))).toBe("too_many_redirects");
    }
    expect(other.asked).toEqual([]);
  });

  test("reports that there is no response, without the host", async () => {
    api.handle = (request) => request.socket.destroy();
    expect(await codeOf(call("/x"))).toBe("connection_failed");
  });

  test("is sent only to the operator's own origin", async () => {
    const away = operatorFetch(env, base, new URL(`http://${other.host}/x`), {
      ...LIMITS,
      maxRequestBytes: 0,
    });
    expect(await codeOf(away)).toBe("url_refused");
    expect(other.asked).toEqual([]);
  });
});

describe("exceptions for this machine", () => {
  test("of operators do not apply to callers, and those of callers not to operators", async () => {
    const options = { ...LIMITS, redirects: "follow" } as const;
    expect(await codeOf(guardedFetch(env, `http://${api.host}/`, options))).toBe("url_refused");
    const theirs = `http://${other.host}/v1`;
    const called = operatorFetch(env, theirs, new URL(`${theirs}/models`), {
      ...LIMITS,
      maxRequestBytes: 0,
    });
    expect(await codeOf(called)).toBe("url_refused");
    expect([...api.asked, ...other.asked]).toEqual([]);
  });

  test("have no effect in a deployment", async () => {
    const deployed = operatorFetch({ ...env, ENVIRONMENT: "production" }, base, new URL(base), {
      ...LIMITS,
      maxRequestBytes: 0,
    });
    expect(await codeOf(deployed)).toBe("url_refused");
    expect(api.asked).toEqual([]);
  });
});

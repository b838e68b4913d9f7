/** The message protocol of embedded pages: who is heard, what waits, and that each request id is answered once. */
import { describe, expect, test } from "vitest";
import {
  HostChannel,
  type HostMessage,
  type HostPort,
} from "../../../../src/web/shared/host-channel.ts";
import {
  type Command,
  CommandRefused,
  type Envelope,
} from "../../../../src/web/shared/protocol.ts";
import { sizeOf } from "../../../support/sizes.ts";

const HOST = "https://host.example";
const OWN = "https://app.example";
const ACCEPTED = ["svc:init", "svc:execute", "svc:setValues", "svc:setToken"];

interface Port extends HostPort {
  readonly sent: Envelope[];
  /** Delivers a message of the other side. */
  deliver(data: unknown): void;
}

function openPort(): Port {
  const sent: Envelope[] = [];
  return {
    sent,
    onmessage: null,
    postMessage(message) {
      // As browsers do, which refuse functions.
      sent.push(structuredClone(message) as Envelope);
    },
    deliver(data) {
      this.onmessage?.({ data } as MessageEvent);
    },
  };
}

function open(run: (command: Command) => unknown = () => undefined) {
  const parent = { name: "the window above" };
  const posted: Envelope[] = [];
  const commands: Command[] = [];
  const channel = new HostChannel({
    parent,
    origins: [HOST, OWN],
    accepted: ACCEPTED,
    post: (message) => posted.push(structuredClone(message)),
    run: (command) => {
      commands.push(command);
      return run(command);
    },
    text: (key) => `text of ${key}`,
  });
  const receive = (data: unknown, other: Partial<HostMessage> = {}) => {
    channel.receive({ source: parent, origin: HOST, data, ports: [], ...other });
  };
  const hello = (port: HostPort, versions: unknown = ["1"]) => {
    receive({ type: "svc:hello", payload: { versions } }, { ports: [port] });
  };
  return { parent, posted, commands, channel, receive, hello };
}

describe("a message", () => {
  test("is heard from the parent alone, with an allowed origin or the page's own", () => {
    const { receive, commands, channel, posted } = open();
    channel.open();
    const data = { type: "svc:execute", requestId: "r" };
    receive(data, { source: { name: "a sibling" } });
    receive(data, { source: null });
    for (const origin of ["https://host.example:444", "http://host.example", "null", "", "*"]) {
      receive(data, { origin });
    }
    expect([commands, posted]).toEqual([[], []]);
    receive(data);
    receive(data, { origin: OWN });
    expect(commands).toHaveLength(2);
    expect(posted.map(({ type }) => type)).toEqual(["svc:result", "svc:result"]);
  });

  test("is ignored if it is not an object, or its type is unknown", () => {
    const { receive, commands, channel, posted } = open();
    channel.open();
    const others = [
      null,
      7,
      "svc:execute",
      [],
      {},
      { type: 7 },
      { type: "svc:other", requestId: "r" },
    ];
    for (const data of [...others, { type: "constructor" }, { type: "__proto__" }]) {
      receive(data);
    }
    expect([commands, posted]).toEqual([[], []]);
  });

  test("with a request id that is not a text of 64 characters is refused", () => {
    const { receive, commands, channel, posted } = open();
    channel.open();
    for (const requestId of [7, null, {}, "x".repeat(65)]) {
      receive({ type: "svc:execute", requestId });
    }
    expect(commands).toEqual([]);
    expect(posted).toEqual(
      Array.from({ length: 4 }, () => ({
        type: "svc:error",
        payload: { code: "invalid_message", message: "text of invalid_message" },
      })),
    );
    receive({ type: "svc:execute", requestId: "x".repeat(64) });
    expect(commands).toHaveLength(1);
  });

  test("with a payload that is not JSON, or over 1 MiB, is refused and answered", () => {
    const { receive, commands, channel, posted } = open();
    channel.open();
    receive({ type: "svc:setValues", payload: new Map(), requestId: "a" });
    receive({ type: "svc:setValues", payload: { text: "é".repeat(600_000) }, requestId: "b" });
    expect(commands).toEqual([]);
    expect(
      posted.filter(({ type }) => type === "svc:result").map(({ payload }) => payload),
    ).toEqual([
      {
        requestId: "a",
        ok: false,
        error: { code: "invalid_message", message: "text of invalid_message" },
      },
      {
        requestId: "b",
        ok: false,
        error: { code: "invalid_message", message: "text of message_too_large" },
      },
    ]);
    receive({ type: "svc:setValues", payload: { text: "e".repeat(1_000_000) } });
    expect(commands).toHaveLength(1);
  });
});

describe("a command", () => {
  test("waits until the page is ready; beyond 100 the oldest are dropped and answered", () => {
    const { receive, commands, channel, posted } = open();
    for (let n = 0; n < 103; n++) {
      receive({ type: "svc:setValues", payload: { n }, requestId: `r${String(n)}` });
    }
    expect(commands).toEqual([]);
    expect(posted.map(({ payload }) => (payload as { requestId: string }).requestId)).toEqual([
      "r0",
      "r1",
      "r2",
    ]);
    channel.open();
    expect(commands.map(({ payload }) => (payload as { n: number }).n)).toEqual(
      Array.from({ length: 100 }, (_, n) => n + 3),
    );
    channel.open();
    expect(commands).toHaveLength(100);
  });

  test("is answered with its value, or with its refusal after svc:error", async () => {
    const { receive, channel, posted } = open(({ requestId }) => {
      switch (requestId) {
        case "value":
          return { executionId: "exec_1" };
        case "later":
          return Promise.resolve(7);
        case "refused":
          throw new CommandRefused("theme_contrast", "Too pale.", {
            details: { names: ["textColor"] },
          });
        case "told":
          return Promise.reject(new CommandRefused("forbidden", "No.", { isTold: true }));
        case "function":
          return () => 1;
        default:
          throw new TypeError("a secret of the page");
      }
    });
    channel.open();
    for (const requestId of ["value", "later", "refused", "told", "function", "defect"]) {
      receive({ type: "svc:execute", requestId });
    }
    await new Promise((done) => setTimeout(done));
    const results = posted
      .filter(({ type }) => type === "svc:result")
      .map(({ payload }) => payload);
    const internal = { code: "internal_error", message: "text of internal" };
    expect(results.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
      { requestId: "defect", ok: false, error: internal },
      { requestId: "function", ok: false, error: internal },
      { requestId: "later", ok: true, value: 7 },
      { requestId: "refused", ok: false, error: { code: "theme_contrast", message: "Too pale." } },
      { requestId: "told", ok: false, error: { code: "forbidden", message: "No." } },
      { requestId: "value", ok: true, value: { executionId: "exec_1" } },
    ]);
    expect(posted.filter(({ type }) => type === "svc:error").map(({ payload }) => payload)).toEqual(
      [{ code: "theme_contrast", message: "Too pale.", names: ["textColor"] }, internal],
    );
  });

  test("is refused with the page's own error if the page cannot start", () => {
    const { receive, channel, posted, commands } = open();
    receive({ type: "svc:execute", requestId: "before" });
    channel.fail(new CommandRefused("token_expired", "Expired."));
    receive({ type: "svc:execute", requestId: "after" });
    channel.open();
    expect(commands).toEqual([]);
    const error = { code: "token_expired", message: "Expired." };
    expect(posted).toEqual([
      { type: "svc:error", payload: error },
      { type: "svc:result", payload: { requestId: "before", ok: false, error } },
      { type: "svc:result", payload: { requestId: "after", ok: false, error } },
    ]);
    // Started again by the person.
    receive({ type: "svc:execute", requestId: "again" });
    expect(commands.map(({ requestId }) => requestId)).toEqual(["again"]);
  });
});

describe("a new token", () => {
  const refusal = { code: "token_expired", message: "Expired." };

  test("is taken by a page that could not start, and later commands wait for its second start", () => {
    const { receive, channel, posted, commands } = open(({ type }) =>
      type === "svc:setToken" ? channel.restart() : undefined,
    );
    receive({ type: "svc:init", requestId: "before" });
    receive({ type: "svc:setToken", requestId: "token" });
    receive({ type: "svc:execute", requestId: "waits" });
    channel.fail(new CommandRefused("token_expired", "Expired."));
    expect(posted).toEqual([
      { type: "svc:error", payload: refusal },
      { type: "svc:result", payload: { requestId: "before", ok: false, error: refusal } },
      { type: "svc:result", payload: { requestId: "token", ok: true, value: true } },
    ]);
    expect(commands.map(({ requestId }) => requestId)).toEqual(["token"]);
    channel.open();
    expect(commands.map(({ requestId }) => requestId)).toEqual(["token", "waits"]);
  });

  test("is taken again after a second failure, and is nothing to a page that runs", () => {
    const starts: boolean[] = [];
    const { receive, channel, posted } = open(() => {
      starts.push(channel.restart());
    });
    channel.fail(new CommandRefused("token_expired", "Expired."));
    receive({ type: "svc:setToken" });
    channel.fail(new CommandRefused("token_expired", "Expired."));
    receive({ type: "svc:execute", requestId: "other" });
    receive({ type: "svc:setToken" });
    channel.open();
    receive({ type: "svc:setToken" });
    expect(starts).toEqual([true, true, false]);
    expect(posted.at(-1)).toEqual({
      type: "svc:result",
      payload: { requestId: "other", ok: false, error: refusal },
    });
  });
});

describe("svc:hello", () => {
  test("moves events to its port, and commands are taken from both", () => {
    const { receive, hello, channel, posted, commands } = open();
    channel.emit("svc:resize", { width: 1, height: 1 });
    const port = openPort();
    hello(port, ["2", "1"]);
    expect(port.sent).toEqual([
      { type: "svc:welcome", payload: { version: "1", accepted: ACCEPTED } },
    ]);
    channel.open();
    channel.emit("svc:resize", { width: 2, height: 2 });
    port.deliver({ type: "svc:execute", requestId: "port" });
    receive({ type: "svc:execute", requestId: "window" });
    expect(commands.map(({ requestId }) => requestId)).toEqual(["port", "window"]);
    expect(posted).toEqual([{ type: "svc:resize", payload: { width: 1, height: 1 } }]);
    expect(port.sent.slice(1).map(({ type }) => type)).toEqual([
      "svc:resize",
      "svc:result",
      "svc:result",
    ]);
  });

  test("is taken once, from the parent, with exactly one port", () => {
    const { receive, hello } = open();
    const [stranger, second, first, later] = [openPort(), openPort(), openPort(), openPort()];
    const data = { type: "svc:hello", payload: { versions: ["1"] } };
    receive(data, { source: {}, ports: [stranger] });
    receive(data, { origin: "https://third.example", ports: [stranger] });
    receive(data, { ports: [] });
    receive(data, { ports: [stranger, second] });
    hello(first);
    hello(later);
    expect([stranger.sent, second.sent, later.sent]).toEqual([[], [], []]);
    expect(first.sent).toHaveLength(1);
  });

  test("without a version of ours is refused on its port, and nothing changes", () => {
    for (const versions of [["2"], [], "1", null, [1]]) {
      const { hello, channel, posted } = open();
      const port = openPort();
      hello(port, versions);
      expect(port.sent).toMatchObject([
        { type: "svc:error", payload: { code: "version_unsupported", supported: ["1"] } },
      ]);
      channel.emit("svc:resize", {});
      expect(posted).toHaveLength(1);
      hello(port);
      expect(port.sent.at(-1)?.type).toBe("svc:welcome");
    }
  });
});

/** mulberry32, a small generator of 32 bits with a seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const shared = Array.from({ length: 40 }).reduce<unknown>((below) => [below, below], "leaf");
const PAYLOADS: readonly unknown[] = [
  undefined,
  null,
  7,
  Number.NaN,
  "text",
  [],
  {},
  { headline: "Ada" },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
  { toString: null, valueOf: 1, hasOwnProperty: 2 },
  cyclic,
  new Map([["a", 1]]),
  new Set([1]),
  new Date(0),
  /x/,
  10n,
  new Uint8Array(8),
  new Error("x"),
  Array.from({ length: 3 }),
  Object.assign([], { length: 4_000_000_000 }),
  { file: new Blob(["x"]) },
  { text: "\u{d800}" },
  new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("trap");
      },
    },
  ),
  Object.defineProperty({}, "bad", {
    enumerable: true,
    get: () => {
      throw new Error("getter");
    },
  }),
];

/** Each costs milliseconds, so they are rare. */
const LARGE: readonly unknown[] = ["x".repeat(2 * 1024 * 1024), shared];

/** Sends many messages, hostile ones among them, and returns the request ids that were not answered exactly once. */
async function fuzz(seed: number, messages: number, isFaulty = false): Promise<readonly string[]> {
  const random = generator(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const settle: (() => void)[] = [];
  const outcomes: readonly (() => unknown)[] = [
    () => undefined,
    () => ({ executionId: "exec_1" }),
    () => () => "not cloneable",
    () => Promise.resolve(Symbol("not cloneable")),
    () => {
      throw new CommandRefused("execution_in_progress", "One at a time.");
    },
    () => {
      throw new RangeError("a defect");
    },
    () => Promise.reject(new Error("later")),
    () =>
      new Promise((done) => {
        settle.push(() => {
          done(1);
        });
      }),
  ];
  let runs = 0;
  const { channel, receive, hello, posted } = open(() => {
    runs += 1;
    return isFaulty && runs % 100 === 0 ? new Promise(() => undefined) : pick(outcomes)();
  });
  const ports: Port[] = [];
  const expected: string[] = [];
  const openAt = Math.floor(random() * 300);
  for (let n = 0; n < messages; n++) {
    if (n === openAt) {
      channel.open();
    }
    if (random() < 0.02) {
      const port = openPort();
      ports.push(port);
      hello(port, pick([["1"], ["2"], "1", null, [[]], { includes: 1 }]));
      continue;
    }
    const type = pick([...ACCEPTED, ...ACCEPTED, "svc:other", "svc:hello", "", 7, null]);
    const hasId = random() < 0.8;
    const requestId = hasId ? `r${String(n)}` : pick([undefined, 7, "y".repeat(65), {}, cyclic]);
    const payload = pick(random() < 0.002 ? LARGE : PAYLOADS);
    const isEnvelope = random() < 0.95;
    const data = isEnvelope ? { type, payload, requestId } : payload;
    const isHeard = random() < 0.8;
    const port = ports.find(({ onmessage }) => onmessage !== null);
    if (!isHeard) {
      receive(data, pick([{ source: {} }, { origin: "https://third.example" }, { source: null }]));
      continue;
    }
    if (isEnvelope && hasId && ACCEPTED.includes(String(type))) {
      expected.push(`r${String(n)}`);
    }
    if (port !== undefined && random() < 0.5) {
      port.deliver(data);
    } else {
      receive(data);
    }
    if (settle.length > 50) {
      for (const run of settle.splice(0)) {
        run();
      }
    }
  }
  for (const run of settle.splice(0)) {
    run();
  }
  // All promises above are settled: their reactions run before the next task.
  await new Promise((done) => setTimeout(done));
  const counts = new Map<string, number>();
  for (const { type, payload } of [posted, ...ports.map(({ sent }) => sent)].flat()) {
    if (type === "svc:result") {
      const { requestId } = payload as { readonly requestId: string };
      counts.set(requestId, (counts.get(requestId) ?? 0) + 1);
    }
  }
  expect(expected.length).toBeGreaterThan(messages / 5);
  const wanted = new Set(expected);
  return [
    ...expected.filter((id) => counts.get(id) !== 1),
    ...[...counts.keys()].filter((id) => !wanted.has(id)),
  ];
}

describe("many messages, hostile ones among them", () => {
  test("leave each request id answered exactly once, and throw nothing", async () => {
    const messages = sizeOf("hostMessages") / 10;
    for (let seed = 1; seed <= 10; seed++) {
      expect(await fuzz(seed, messages), `seed ${String(seed)}`).toEqual([]);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("show a command that is never answered", async () => {
    expect((await fuzz(1, 3_000, true)).length).toBeGreaterThan(3);
  });
});

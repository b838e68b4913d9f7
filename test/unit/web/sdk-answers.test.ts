/** What the SDK does about a frame that does not answer (docs/embeds.md#messages). The frame is an object of the test. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openFrame } from "../../../src/web/sdk/open-frame.ts";
import type { TokenSource } from "../../../src/web/sdk/v1-types.ts";

/** A frame whose page has loaded, is ready if it is to be, and then receives messages without a word. */
function silentFrame({
  isReady,
  source = { token: "token" },
}: {
  readonly isReady: boolean;
  readonly source?: TokenSource;
}) {
  const received: string[] = [];
  let say: (type: string, payload: object) => void = () => undefined;
  let load: () => void = () => undefined;
  const page = new EventTarget();
  const iframe = {
    style: {},
    parentNode: null,
    contentWindow: {
      postMessage(_hello: unknown, _origin: string, [port]: [MessagePort]) {
        port.onmessage = ({ data }: MessageEvent<{ readonly type: string }>) => {
          received.push(data.type);
        };
        say = (type, payload) => {
          port.postMessage({ type, payload });
        };
        if (isReady) {
          port.postMessage({ type: "svc:ready", payload: { version: "1" } });
        }
      },
    },
    addEventListener(_type: string, listener: () => void) {
      load = listener;
    },
    removeEventListener: () => undefined,
    remove: () => undefined,
  };
  vi.stubGlobal("document", { createElement: () => iframe });
  vi.stubGlobal("location", { href: "https://host.example/" });
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  const frame = openFrame({
    options: { ...source, container: { append: () => undefined } as unknown as HTMLElement },
    script: "https://svc.example/embed/sdk/v1.js",
    title: "Workflow",
    readyType: "svc:ready",
    path: () => "/embed/wf",
    query: {},
    settings: [],
    isResized: false,
  });
  load();
  return {
    frame,
    received,
    say: (type: string, payload: object) => {
      say(type, payload);
    },
  };
}

/** A token that ends in so many seconds. */
const tokenFor = (seconds: number) =>
  `h.${btoa(JSON.stringify({ wf: "wf_1", exp: Math.floor(Date.now() / 1000) + seconds }))}.s`;

/** The code with which a promise is rejected; undefined while it is not. */
function codeOf(promise: Promise<unknown>): () => string | undefined {
  let code: string | undefined;
  promise.catch((error: { readonly code: string }) => {
    code = error.code;
  });
  return () => code;
}

/** Waits for messages of ports, which no clock delays. `vi.waitUntil` would move the clock. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a frame that does not answer", () => {
  test("rejects a command with `timeout` after 30 s, and a run with nothing", async () => {
    const { frame, received } = silentFrame({ isReady: true });
    await frame.ready;
    const command = codeOf(frame.send("svc:reset"));
    const run = codeOf(frame.sendLong("svc:execute"));
    await until(() => received.length === 2);
    await vi.advanceTimersByTimeAsync(29_999);
    expect([command(), run()]).toEqual([undefined, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    expect([command(), run()]).toEqual(["timeout", undefined]);
    await vi.advanceTimersByTimeAsync(24 * 3600 * 1000);
    expect(run()).toBeUndefined();
    frame.destroy();
    await until(() => run() === "destroyed");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is `blocked_or_unreachable` if it does not become ready within 15 s, and so are its commands", async () => {
    const { frame } = silentFrame({ isReady: false });
    const ready = codeOf(frame.ready);
    const command = codeOf(frame.send("svc:reset"));
    await vi.advanceTimersByTimeAsync(14_999);
    expect([ready(), command()]).toEqual([undefined, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    expect([ready(), command()]).toEqual(["blocked_or_unreachable", "blocked_or_unreachable"]);
    frame.destroy();
  });
});

describe("a function that fetches tokens", () => {
  test("is asked 30 s before the token ends, again 10 s after it failed, and the frame gets what it brings", async () => {
    let calls = 0;
    const fetchToken = () => {
      calls += 1;
      return calls === 2 ? Promise.reject(new Error("down")) : Promise.resolve(tokenFor(100));
    };
    const { frame, received } = silentFrame({ isReady: true, source: { fetchToken } });
    await frame.ready;
    await vi.advanceTimersByTimeAsync(68_000);
    expect(calls).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calls).toBe(2);
    await vi.advanceTimersByTimeAsync(9_000);
    expect([calls, received]).toEqual([2, []]);
    await vi.advanceTimersByTimeAsync(1_000);
    await until(() => received.length === 1);
    expect([calls, received]).toEqual([3, ["svc:setToken"]]);
    await vi.advanceTimersByTimeAsync(70_000);
    expect(calls).toBe(4);
    frame.destroy();
    await vi.advanceTimersByTimeAsync(200_000);
    expect(calls).toBe(4);
  });

  test("is asked when the frame says that its token has expired", async () => {
    let calls = 0;
    const fetchToken = () => {
      calls += 1;
      return Promise.resolve(tokenFor(10_000));
    };
    const { frame, received, say } = silentFrame({ isReady: true, source: { fetchToken } });
    await frame.ready;
    say("svc:error", { code: "network", message: "" });
    say("svc:error", { code: "token_expired", message: "" });
    await until(() => received.length === 1);
    expect([calls, received]).toEqual([2, ["svc:setToken"]]);
  });
});

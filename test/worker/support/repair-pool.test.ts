/** Repairs that keep a workerd that serves many test files as fast as one that serves few (test/support/repair-pool.ts). */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

/** Written like the pool's own. */
const poolsHandler = (): ProxyHandler<{ readonly a: number }> => ({
  get(target, key, receiver) {
    const getUnknownPrototypeKey = () => undefined;
    return Reflect.get(target, key, receiver) ?? getUnknownPrototypeKey();
  },
});

it("a prototype of the pool is wrapped once, however often it is constructed", () => {
  const first = new Proxy({ a: 1 }, poolsHandler());
  expect(new Proxy(first, poolsHandler())).toBe(first);
  expect(first.a).toBe(1);
});

it("every other proxy is made, of a proxy too", () => {
  const inner = new Proxy({ a: 1 }, { get: () => 2 });
  const outer = new Proxy(inner, { get: () => 3 });
  expect([inner.a, outer.a]).toEqual([2, 3]);
});

it("a call of an object asks Vite for nothing once its module is evaluated", async () => {
  const { moduleRunner } = (
    globalThis as unknown as {
      __vitest_mocker__: {
        moduleRunner: { transport: { invoke: (...args: unknown[]) => unknown } };
      };
    }
  ).__vitest_mocker__;
  const { invoke } = moduleRunner.transport;
  const asked: unknown[] = [];
  const limiter = env.RATE_LIMITER.get(env.RATE_LIMITER.idFromName("asks nothing"));
  const take = () =>
    (limiter as unknown as { take(rule: object): Promise<object> }).take({
      v: 1,
      limit: 3,
      window_ms: 60_000,
    });
  await take();
  moduleRunner.transport.invoke = (...args) => {
    asked.push(args);
    return invoke.apply(moduleRunner.transport, args);
  };
  try {
    await take();
  } finally {
    moduleRunner.transport.invoke = invoke;
  }
  expect(asked).toEqual([]);
});

it("a log is sent without an answer, since a late one would never be answered", async () => {
  const { rpc } = (
    globalThis as unknown as {
      __vitest_worker__: { rpc: { onUserConsoleLog(log: object): Promise<unknown> } };
    }
  ).__vitest_worker__;
  const object = env.RATE_LIMITER.get(env.RATE_LIMITER.idFromName("logs"));
  const log = { type: "stdout", content: "", taskId: "none", time: 0, size: 0 };
  // From an object's context a log waits to be sent: a wait for its response would never end.
  const sent = await runInDurableObject(object, () =>
    Promise.race([
      rpc.onUserConsoleLog(log).then(() => "sent"),
      scheduler.wait(1_000).then(() => "waits for an answer"),
    ]),
  );
  expect(sent).toBe("sent");
});

/**
 * Three repairs of @cloudflare/vitest-pool-workers 0.19.1. Without them, a workerd that serves many test files becomes
 * slower with each request, and sometimes waits forever after one of them (docs/decisions/workerd-in-tests.md).
 */

/** Vite's module runner, through the pool's own reference. */
interface ModuleRunner {
  readonly evaluatedModules: {
    getModuleById(
      id: string,
    ): { readonly evaluated?: boolean; readonly exports?: unknown } | undefined;
  };
  import(id: string): Promise<unknown>;
}

const scope = globalThis as unknown as {
  /** vitest's state of the current file; a new one for each. */
  readonly __vitest_worker__: { rpc: object };
  readonly __vitest_mocker__: { readonly moduleRunner: ModuleRunner };
  [REPAIRED]?: true;
};
const REPAIRED = Symbol.for("edgeloom.pool-repaired");

/** For a setup file, which calls it before each test file, in their common isolate. */
export function repairPool(): void {
  if (scope[REPAIRED] === undefined) {
    scope[REPAIRED] = true;
    wrapPrototypesOnce();
    findEvaluatedModules(scope.__vitest_mocker__.moduleRunner);
  }
  sendLogsUnanswered(scope.__vitest_worker__);
}

/**
 * Vitest ends a file when each of its logs was answered. A log from an object or a request is not sent before the file
 * itself sends something, so a log after the file's last message (for example an alarm's) is never answered: vitest
 * waits forever, beyond all timeouts. Sent as an event, it needs no answer.
 */
function sendLogsUnanswered(file: { rpc: object }): void {
  file.rpc = new Proxy(file.rpc, {
    get: (rpc, name): unknown => {
      const send: unknown = Reflect.get(rpc, name);
      // Files of one run share one `rpc`, which may be wrapped already.
      return name === "onUserConsoleLog" ? (Reflect.get(send as object, "asEvent") ?? send) : send;
    },
  });
}

/**
 * The pool's wrappers of entry points and objects add a proxy around their shared prototype at each construction, also
 * around the previous proxy: after a thousand requests each property lookup passes a thousand proxies
 * (cloudflare/workers-sdk#15092, fixed in a later version that requires Miniflare 5). All proxies are alike, so one is
 * enough.
 */
function wrapPrototypesOnce(): void {
  const wrapped = new WeakSet<object>();
  globalThis.Proxy = new Proxy(Proxy, {
    construct(target, [of, handler]: [object, ProxyHandler<object>], newTarget) {
      if (wrapped.has(of)) {
        return of;
      }
      const proxy = Reflect.construct(target, [of, handler], newTarget) as object;
      if (isPrototypeOfPool(handler)) {
        wrapped.add(proxy);
      }
      return proxy;
    },
  });
}

function isPrototypeOfPool(handler: ProxyHandler<object>): boolean {
  return /getUnknownPrototypeKey/.test(String(Reflect.get(handler, "get")));
}

/**
 * Each request to the Worker and each call of an object imports the main module through Vite: two calls over a socket
 * to the vitest process. An evaluated module is cached here; one that vitest has invalidated is imported normally.
 */
function findEvaluatedModules(runner: ModuleRunner): void {
  const importByVite = runner.import.bind(runner);
  runner.import = async (id) => {
    const known = runner.evaluatedModules.getModuleById(id);
    return known?.evaluated === true ? known.exports : importByVite(id);
  };
}

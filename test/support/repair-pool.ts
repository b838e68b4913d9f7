/**
 * Three repairs of @cloudflare/vitest-pool-workers 0.19.1, without which a workerd that serves many test
 * files gets slower with each request, and now and then waits for ever after one of them
 * (docs/decisions/workerd-in-tests.md).
 */

/** Vite's module runner, as the pool itself reaches it. */
interface ModuleRunner {
  readonly evaluatedModules: {
    getModuleById(
      id: string,
    ): { readonly evaluated?: boolean; readonly exports?: unknown } | undefined;
  };
  import(id: string): Promise<unknown>;
}

const scope = globalThis as unknown as {
  /** What vitest keeps of the file that runs; a new one for each. */
  readonly __vitest_worker__: { rpc: object };
  readonly __vitest_mocker__: { readonly moduleRunner: ModuleRunner };
  [REPAIRED]?: true;
};
const REPAIRED = Symbol.for("edgeloom.pool-repaired");

/** For a setup file, which calls it before each test file, in the one isolate of them all. */
export function repairPool(): void {
  if (scope[REPAIRED] === undefined) {
    scope[REPAIRED] = true;
    wrapPrototypesOnce();
    findEvaluatedModules(scope.__vitest_mocker__.moduleRunner);
  }
  sendLogsUnanswered(scope.__vitest_worker__);
}

/**
 * Vitest ends a file when each log that it has sent was answered. A log from an object or a request is not
 * sent before the file sends something itself, so one that comes after the file's last word (an alarm's) is
 * never answered: vitest waits for ever, beyond all timeouts. Sent as an event, it is waited for by nobody.
 */
function sendLogsUnanswered(file: { rpc: object }): void {
  file.rpc = new Proxy(file.rpc, {
    get: (rpc, name): unknown => {
      const send: unknown = Reflect.get(rpc, name);
      // Files that run at one go have one `rpc`, which may be wrapped already.
      return name === "onUserConsoleLog" ? (Reflect.get(send as object, "asEvent") ?? send) : send;
    },
  });
}

/**
 * The pool's wrappers of entry points and objects put a proxy around their shared prototype whenever one
 * is constructed, and so around the proxy of the time before: after a thousand requests each look-up
 * of a property goes through a thousand proxies (cloudflare/workers-sdk#15092, fixed in a later
 * version that needs Miniflare 5). One proxy is enough: they are all alike.
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
 * Each request to the Worker and each call of an object imports the main module by way of Vite: two
 * questions over a socket to the process that runs vitest. A module that stands evaluated is known here;
 * one that vitest has invalidated is not, and is imported as ever.
 */
function findEvaluatedModules(runner: ModuleRunner): void {
  const importByVite = runner.import.bind(runner);
  runner.import = async (id) => {
    const known = runner.evaluatedModules.getModuleById(id);
    return known?.evaluated === true ? known.exports : importByVite(id);
  };
}

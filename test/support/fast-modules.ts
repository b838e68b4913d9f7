/**
 * A setup file that makes the exports of modules fast to read. Vite's module runner evaluates a module as a function, in
 * which each use of an import is a look-up in an object of getters. V8 keeps that object as a dictionary, because it is
 * created without a prototype, and a look-up takes some 15 ns in place of less than one: the tests of an inner loop that
 * calls an imported function take several times as long as the code in production. As the prototype of another object
 * it gets the look-ups of an ordinary one.
 */

interface ModuleRunner {
  readonly evaluator: {
    runInlinedModule(context: ModuleContext, ...rest: readonly unknown[]): Promise<unknown>;
  };
  readonly evaluatedModules: {
    readonly idToModuleMap: ReadonlyMap<string, { readonly exports?: unknown }>;
  };
}

/** Vite's names for a module's variables. */
interface ModuleContext {
  readonly __vite_ssr_exports__: object;
}

const DONE = Symbol.for("edgeloom.fast-modules");

const scope = globalThis as unknown as {
  readonly __vitest_mocker__: { readonly moduleRunner: ModuleRunner };
  [DONE]?: true;
};

// A setup file is evaluated before each test file of a thread, whose runner stays the same.
if (scope[DONE] === undefined) {
  scope[DONE] = true;
  const { evaluator, evaluatedModules } = scope.__vitest_mocker__.moduleRunner;
  for (const { exports } of evaluatedModules.idToModuleMap.values()) {
    if (isNamespace(exports)) {
      Object.create(exports);
    }
  }
  const evaluate = evaluator.runInlinedModule.bind(evaluator);
  evaluator.runInlinedModule = async (context, ...rest) => {
    const result = await evaluate(context, ...rest);
    Object.create(context.__vite_ssr_exports__);
    return result;
  };
}

/** Whether the object was made by the runner; the exports of other modules are V8's own. */
function isNamespace(exports: unknown): exports is object {
  return typeof exports === "object" && exports !== null && Object.getPrototypeOf(exports) === null;
}

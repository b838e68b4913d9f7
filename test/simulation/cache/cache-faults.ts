/** Faults planted in the code of the result cache and of equal elements: a simulation that finds none checks nothing. */
import type { Mutation } from "../mutations.ts";

const EQUALS = "src/engine/drive/equal-elements.ts";
const SETTLED = "src/engine/drive/settled-cell.ts";
const REPORTS = "durable-objects/run/tasks/task-reports.ts";
const CHUNK = "durable-objects/executor/chunk-cache.ts";

/** `how`: the problem that finds it. */
export const CACHE_FAULTS: readonly (Mutation & { readonly how: RegExp })[] = [
  {
    name: "a key leaves out the parameters",
    file: "src/engine/reuse/match-nodes.ts",
    from: "    canonicalJson(parseJson(stringifyJson(node.params as JsonValue))),\n",
    to: "    null,\n",
    how: /and marked with|has not worked its result out|is taken from the cache|differs/,
  },
  {
    name: "an equal element is charged",
    file: SETTLED,
    from: "const charge = node.costMilliCredits > 0 ? { milliCredits: 0, quantity: null }",
    to: "const charge = node.costMilliCredits > 0 ? { milliCredits: 1, quantity: null }",
    how: /is charged 1, and marked/,
  },
  {
    name: "workspaces share what is kept",
    file: "src/engine/reuse/cache-key.ts",
    from: "keyOf([1, workspaceId, definition, inputs])",
    to: "keyOf([1, workspaceId.slice(0, 2), definition, inputs])",
    how: /which has not worked its result out/,
  },
  {
    name: "a hit is charged what its report claims",
    file: SETTLED,
    from: "charge: node.costMilliCredits > 0 ? { milliCredits: 0, quantity: null } : undefined,",
    to: "charge,",
    how: /is charged 77, and marked/,
  },
  {
    name: "a failed result is kept",
    file: REPORTS,
    from: 'return outcome.kind === "ok" && (outcome.charge',
    to: "return outcome.charge === outcome.charge || (outcome.charge",
    also: [
      {
        file: CHUNK,
        from: 'return pending === undefined || report.outcome.kind !== "ok" ? []',
        to: "return pending === undefined ? []",
      },
    ],
    how: /has kept .*, which is not its result/,
  },
  {
    name: "the result of a lease that is over is kept",
    file: REPORTS,
    from: "settled.filter(({ id, outcome }) => taken.has(id) && isKept(outcome))",
    to: "settled.filter(({ outcome }) => isKept(outcome))",
    // A stale report claims 99.
    how: /has kept .*STALE.*, which is not its result|is charged 0, and marked with 99/,
  },
  {
    name: "a run in mode read keeps its results",
    file: CHUNK,
    from: "if (found === null && node.writes) {",
    to: "if (found === null) {",
    how: /has kept .*, which is not its result/,
  },
  {
    name: "the greater mode of node and run counts",
    file: "src/engine/reuse/cache-mode.ts",
    from: "const rank = Math.min(",
    to: "const rank = Math.max(",
    how: /in mode off|which is not its result/,
  },
  {
    name: "[E44] what an element received does not count",
    file: "src/engine/reuse/received-hash.ts",
    from: 'this.#hash.update(`=${digest ?? ""}`);',
    to: "this.#hash.update(`=`);",
    how: /and marked with|has not worked its result out|is taken from the cache|differs/,
  },
  {
    name: "[E44] an element that waits is ready after a restart",
    file: "durable-objects/run/tasks/open-tasks.ts",
    from: 'if (task.status === "ready") {',
    to: 'if (task.status === "ready" || task.status === "equal") {',
    how: /was worked out like|threw "Error/,
  },
  {
    name: "[E44] a result lacks a port that only a node like its own reads",
    file: EQUALS,
    from: ".reduce((all, ports) => all.filter((port) => ports.includes(port)));",
    to: ".reduce((all) => all);",
    how: /was kept|differs|which has not worked/,
  },
  {
    name: "[E45] those that wait are forgotten when the first one fails",
    file: EQUALS,
    from: "return [...ids].slice(0, limit).map((id) => ({ ...placeOf(id), result }));",
    to: "this.#due.delete(holder);\n        continue;",
    how: /not over after/,
  },
  {
    name: "[E46] for whom an element waits is forgotten by a restart",
    file: EQUALS,
    from: "of rows.equalTasks()) {",
    to: "of rows.equalTasks().slice(0, 0)) {",
    how: /not over after/,
  },
  {
    name: "[E46] keys are not read from the rows after a restart",
    file: EQUALS,
    from: "{ nodes: [], isRead: isNew }",
    to: "{ nodes: [], isRead: true }",
    how: /was worked out like/,
  },
];

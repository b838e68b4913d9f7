/** Faults planted in the code of the result cache and of equal elements: a simulation that finds none checks nothing. */
import type { Mutation } from "../mutations.ts";

const EQUALS = "src/engine/drive/equal-elements.ts";
const SETTLED = "src/engine/drive/settled-cell.ts";
const REPORTS = "durable-objects/run/tasks/task-reports.ts";
const CHUNK = "durable-objects/executor/chunk-cache.ts";
const ASKED = "src/engine/drive/asked-elements.ts";
const OPEN = "durable-objects/run/tasks/open-tasks.ts";

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
    // A report claims 77; what its run has found costs what the node does.
    how: /is charged (77|100), and marked/,
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
    from: 'this.#text.add(`=${content ?? ""}`);',
    to: "this.#text.add(`=`);",
    how: /and marked with|has not worked its result out|is taken from the cache|differs/,
  },
  {
    name: "[E44] an element that waits is ready after a restart",
    file: OPEN,
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
  {
    name: "[E47] an answer is applied twice",
    file: "src/engine/drive/settle-tasks.ts",
    from: "  asked.settled(await settle(driver, node, cells, cells));",
    to: "  await settle(driver, node, cells, cells);\n  asked.settled(await settle(driver, node, cells, cells));",
    also: [
      {
        file: "durable-objects/run/blocks/element-blocks.ts",
        from: "throw new Error(`element ${element} of node ${node} settled twice`);",
        to: "",
      },
    ],
    how: /and counted/,
  },
  {
    name: "[E47] an answer to an element whose run was cancelled meanwhile is applied",
    firstSeed: 80,
    file: "src/engine/drive/settle-tasks.ts",
    from: "if (driver.isRunning && asked.hasAnswers) {",
    to: "if (asked.hasAnswers) {",
    how: /was taken although the run had stopped before/,
  },
  {
    name: "[E47] a run finds what another workspace has kept",
    file: "src/engine/reuse/cache-key.ts",
    from: "keyOf([2, workspaceId, definition, received])",
    to: "keyOf([2, workspaceId.slice(0, 2), definition, received])",
    how: /which has not worked its result out/,
  },
  {
    name: "[E47] an element that is looked up is forgotten by a restart",
    file: ASKED,
    from: "isNew ? [] : rows.askedTasks()) {",
    to: "isNew ? [] : rows.askedTasks().slice(0, 0)) {",
    how: /not over after/,
  },
  {
    name: "[E47] an element that is looked up is ready after a restart",
    file: OPEN,
    from: 'if (task.status === "ready") {',
    to: 'if (task.status === "ready" || task.status === "asked") {',
    how: /is worked out, and the cache said: nothing|threw "Error|has two leases/,
  },
  {
    name: "[E47] an element is given to workers before the cache has answered",
    file: "durable-objects/run/state/run-store.ts",
    from: '        task.status = "asked";\n',
    to: "",
    // The task is released once more when the answer has come.
    how: /is worked out, and the cache said: nothing|fence 2 after 2/,
  },
  {
    name: "[E47] what a full page has no answer for is worked out",
    file: ASKED,
    from: 'if (answer === "later" && hasAnswer) {',
    to: 'if (answer === "later" && !hasAnswer) {',
    how: /is worked out, and the cache said: later/,
  },
  {
    name: "[E47] elements get the answers of others",
    file: ASKED,
    from: "(answers[at++] ?? null)",
    to: "(answers[at] ?? null)",
    how: /is taken from|is worked out, and the cache said: (found|later)|differs/,
  },
  {
    name: "[E47] what was found and had to go is not looked up again",
    firstSeed: 88,
    file: ASKED,
    from: "      this.#asked.set(id, received);\n",
    to: "",
    how: /not over after/,
  },
  {
    name: "[E47] a result is kept under another key than it is looked up by",
    file: CHUNK,
    from: "      received === undefined\n",
    to: '      received !== "never"\n',
    how: /was not kept|has kept .*, which is not its result/,
  },
  {
    name: "[E42] a run takes results that lack a port which it reads",
    firstSeed: 112,
    file: ASKED,
    from: "unread: this.#unreadPorts(node),",
    to: 'unread: ["out", "text"],',
    how: /which has not worked its result out|differs/,
  },
  {
    name: "[E42] a damaged entry is taken",
    firstSeed: 40,
    file: "durable-objects/cache/whole-entries.ts",
    from: "if (files === undefined ||",
    to: "if (files === undefined) {\n      return true;\n    }\n    if (",
    how: /the cache has null for/,
  },
  {
    name: "[E41] the greater age of node and run counts",
    firstSeed: 25,
    file: "src/engine/reuse/cache-mode.ts",
    from: "const age = Math.min(",
    to: "const age = Math.max(",
    how: /is older than/,
  },
];

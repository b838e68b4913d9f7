/** Faults planted in the engine's source: if the simulation does not find one, it checks nothing. */
import type { Fault } from "./object/faults.ts";

export interface Mutation {
  /** The rule that it violates, and how. */
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** More edits, of a fault that two places of the code prevent. */
  readonly also?: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** Found by runs with money and cancels rather than by comparing results. */
  readonly isOfMoney?: boolean;
  /** Found by retries. */
  readonly isOfRetry?: boolean;
  /**
   * Found in the world of the run object, and only with these faults: without them the bug is harmless. None: it is
   * found in any world.
   */
  readonly onlyBy?: readonly Fault[];
  /** First seed of the search, for a fault that needs a rare world; 1 if omitted. */
  readonly firstSeed?: number;
}

const OBJECT = "durable-objects/run";
const CRASHES = ["object crashes", "machine crashes"] as const;
const STEP = "src/engine/step";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "[E10] an optional input that failed does not block",
    file: `${STEP}/gather-inputs.ts`,
    from: 'isBlocked ||= cell.status === "failed" || cell.status === "blocked";',
    to: 'isBlocked ||= input.required && (cell.status === "failed" || cell.status === "blocked");',
  },
  {
    name: "[E10] an absent required input fails to make the element absent",
    file: `${STEP}/gather-inputs.ts`,
    from: "isAbsent ||= input.required;",
    to: "isAbsent ||= false;",
  },
  {
    name: "[E5] an element reads its neighbor (wrong projection)",
    file: `${STEP}/gather-inputs.ts`,
    from: "(layout.project(from, to)[element] ?? 0);",
    to: "(layout.project(from, to)[Math.max(0, element - 1)] ?? 0);",
  },
  {
    name: "[E18] a merge takes the last that is present",
    file: `${STEP}/gather-inputs.ts`,
    from: "if (taken === undefined && value !== undefined) {",
    to: "if (value !== undefined) {",
  },
  {
    name: "[E11] a node opens before what feeds it has settled",
    file: `${STEP}/step.ts`,
    from: 'phase === "settled" || (streams && phase === "open")',
    to: 'phase === "settled" || phase === "open"',
  },
  {
    name: "[E13] failed elements are folded in as absent",
    file: `${STEP}/fold-aggregate.ts`,
    from: 'if (read === "failed") {\n      this.#failed++;\n',
    to: 'if (read === "failed") {\n',
  },
  {
    name: "[E13] of failed elements only, an aggregator makes an empty list",
    file: `${STEP}/fold-aggregate.ts`,
    from: "if (this.#kept === 0) {",
    to: "if (this.#kept < 0) {",
  },
  {
    name: "[E16] a run with failed work and an output is called completed",
    file: `${STEP}/final-status.ts`,
    from: 'isAnyPresent ? "partial_success"',
    to: 'isAnyPresent ? "completed"',
  },
  {
    name: "[E19] ok elements are counted twice",
    file: `${STEP}/step.ts`,
    from: "ok: now.ok + progress.ok,",
    to: "ok: now.ok + 2 * progress.ok,",
  },
  {
    name: "[E11] an element is skipped",
    file: `${STEP}/gather-inputs.ts`,
    from: "if (cell === undefined) {\n        return PENDING;",
    to: 'if (cell === undefined || (element === 3 && node.type.role === "output")) {\n        return PENDING;',
  },
  {
    name: "[E12] a slice begins one element late",
    file: `${STEP}/next-work.ts`,
    from: "const size = Math.max(1, Math.floor(workMax",
    to: "if (from === 0 && total > 2) { from = 1; }\n  const size = Math.max(1, Math.floor(workMax",
  },
  {
    name: "[E12] of the cells kept between slices, some are missing",
    file: "src/engine/drive/cell-reader.ts",
    from: "const rows = this.#rows.cellsBetween(node, 0, KEEP_ROWS_MAX);",
    to: "const rows = this.#rows.cellsBetween(node, 0, 2);",
  },
  {
    name: "[E12] the cells kept between slices are read in place of another node's",
    file: "src/engine/drive/cell-reader.ts",
    from: "this.#use(source.node, this.#kept.get(source.node));",
    to: "this.#use(source.node, [...this.#kept.values()].at(-1));",
  },
  {
    name: "[E14] a nested enumerator's indices count on over its parents",
    file: "src/engine/layout/layout.ts",
    from: "indices.unshift(element - (laid.first[parent] ?? 0));",
    to: "indices.unshift(element);",
  },
  {
    name: "[E17] a paid plan starts without its reservation",
    file: `${STEP}/step.ts`,
    from: "if (liability > 0) {",
    to: "if (liability > 1e9) {",
    isOfMoney: true,
  },
  {
    name: "[E17] a cancel lets new work start",
    file: `${STEP}/next-work.ts`,
    from: 'if (state.status !== "running" || state.stopped !== null) {',
    to: 'if (state.status !== "running" && state.status !== "cancelling") {',
    isOfMoney: true,
  },
  {
    name: "[E20] a report is taken whatever its fence",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: `const task = this.#open.leased(id, fence);
      if (task !== undefined) {
        task.status = "reported";`,
    to: `const task = this.#open.leased(id, this.#open.known(id)?.fence ?? fence);
      if (task !== undefined) {
        task.status = "reported";`,
    onlyBy: ["unruly reports", "lost workers", "clock forward", ...CRASHES],
  },
  {
    name: "[E20] a report of a lease that has ended is taken",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: `const task = this.#open.leased(id, fence);
      if (task !== undefined) {
        task.status = "reported";`,
    to: `const task = [this.#open.known(id)].find((one) => one?.fence === fence && one.status !== "reported");
      if (task !== undefined) {
        task.status = "reported";`,
    onlyBy: ["unruly reports", "lost workers", "clock forward", ...CRASHES],
  },
  {
    name: "[E20] a heartbeat extends a lease whatever its fence",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: `const task = this.#open.leased(id, fence);
    if (task === undefined) {
      return false;`,
    to: `const task = this.#open.leased(id, this.#open.known(id)?.fence ?? fence);
    if (task === undefined) {
      return false;`,
    onlyBy: ["unruly reports", "lost workers", "clock forward", ...CRASHES],
  },
  {
    name: "[E20] what is leased can be leased again",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: "this.#chunks.claimed(chunk);",
    to: "",
    // Its hint is sent again when the time of a lost one has passed.
    onlyBy: [],
  },
  {
    name: "[E20] a lease has the fence of the one before",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: "task.fence++;",
    to: "",
    onlyBy: [],
  },
  {
    name: "tasks that are out already leave as much room for others",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: "const out = this.#outCount();",
    to: "const out = 0;",
    onlyBy: [],
  },
  {
    name: "a run may have more than 64 tasks out",
    file: `${OBJECT}/tasks/task-quota.ts`,
    from: "const RUN_TASKS_MAX = 64;",
    to: "const RUN_TASKS_MAX = 65;",
    onlyBy: [],
  },
  {
    name: "a run may have more tasks out than its workspace's plan allows",
    file: `${OBJECT}/tasks/task-quota.ts`,
    from: "runTasks: Math.min(RUN_TASKS_MAX, outstanding),",
    to: "runTasks: RUN_TASKS_MAX,",
    onlyBy: [],
  },
  {
    name: "[E20] two elements' tasks have one number",
    file: `${OBJECT}/tasks/task-entry.ts`,
    from: "return (node + 1) * FIRST_TASK_ID + element;",
    to: "return (node + 1) * FIRST_TASK_ID;",
    onlyBy: [],
  },
  {
    name: "a lease is not written",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: "task.dueMs = nowMs + LEASE_MS;\n        this.#store.blocks.touch(task.node, task.element);",
    to: "task.dueMs = nowMs + LEASE_MS;",
    onlyBy: CRASHES,
  },
  {
    name: "a heartbeat is never written",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: "if (task.dueMs > (task.storedDueMs ?? 0) + UNWRITTEN_MS) {",
    to: "if (task.dueMs < 0) {",
    onlyBy: CRASHES,
  },
  {
    name: "a start is answered before the run is written",
    file: `${OBJECT}/begin-run.ts`,
    from: "  store.keep();\n  const isEnded",
    to: "  const isEnded",
    onlyBy: [],
  },
  {
    name: "a wait that a clock stepped back from is pulled in for this life only",
    file: `${OBJECT}/tasks/task-waits.ts`,
    from: 'for (const task of [...late, ...this.#open.in("ready")]) {',
    to: "for (const task of late.slice(0, 0)) {",
    onlyBy: ["clock back"],
    firstSeed: 1_601,
  },
  {
    name: "the files of a lost attempt are removed with those of all others",
    file: `${OBJECT}/tasks/orphaned-files.ts`,
    from: "this.#files.list({ prefix })",
    to: 'this.#files.list({ prefix: prefix.split("/", 3).join("/") })',
    onlyBy: [],
  },
  {
    name: "a block is written without its tasks",
    file: `${OBJECT}/blocks/block.ts`,
    from: "encodeBlockRow([...block.tasks.values()], openCells(block))",
    to: "encodeBlockRow([], openCells(block))",
    onlyBy: CRASHES,
  },
  {
    name: "a hint that was lost is not sent again",
    file: `${OBJECT}/blocks/hinted-chunks.ts`,
    from: "if (hinted.dueMs <= nowMs) {",
    to: "if (hinted.dueMs < 0) {",
    onlyBy: ["lost hints", "refused calls", ...CRASHES],
  },
  {
    name: "a retry is ready within a second and a half of its time or never",
    file: `${OBJECT}/tasks/task-waits.ts`,
    from: "if (isDue(task, nowMs)) {\n        this.#open.makeReady(task);",
    to: "if (isDue(task, nowMs) && task.dueMs! > nowMs - 1500) {\n        this.#open.makeReady(task);",
    onlyBy: ["late alarms", "lost alarms", "clock forward", "clock back", ...CRASHES],
  },
  {
    name: "a poll does not ask after the alarm",
    file: `${OBJECT}/run-alarms.ts`,
    from: "return armed === null || armed < nowMs - LOST_AFTER_MS || armed > nowMs + this.#watchdogMs;",
    to: "return armed === undefined || nowMs < 0;",
    onlyBy: ["lost alarms", "clock back"],
  },
  {
    name: "a lease is as long as a clock that stepped back makes it",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: 'this.#open.dueBy(nowMs + LEASE_MS, "leased");',
    to: "",
    onlyBy: ["clock back"],
  },
  {
    name: "times in the log go back with the clock",
    file: `${OBJECT}/views/run-log.ts`,
    from: "atMs: Math.max(this.#nowMs(), lastMs)",
    to: "atMs: this.#nowMs()",
    onlyBy: ["clock back"],
  },
  {
    name: "[E20] leases are ended by the time that has passed since the clock began",
    file: `${OBJECT}/tasks/task-store.ts`,
    from: "!isLeaseHeld({ boot, untilMs: dueMs ?? Infinity }, bootId, nowMs),",
    to: "(dueMs! <= nowMs && dueMs! > nowMs - 3_600_000) || boot !== bootId,",
    onlyBy: ["clock forward"],
  },
  {
    name: "[E17] a ledger that does not answer has refused",
    file: `${OBJECT}/run-money.ts`,
    from: "await this.#parts.reserve(index, node.id, milli);",
    to: 'await this.#parts.reserve(index, node.id, milli).catch(() => ({ kind: "insufficient_credits" as const, balance_milli_credits: 0 }));',
    onlyBy: ["refused calls"],
  },
  {
    name: "an endpoint that was not reached counts as told",
    file: `${OBJECT}/run-outbox.ts`,
    from: "if (failed !== undefined) {",
    to: "if (failed !== undefined && body === null) {",
    onlyBy: ["refused calls"],
  },
  {
    name: "the alarm is armed only after its turn",
    file: `${OBJECT}/run-object.ts`,
    from: "      this.#parts.alarms.arm(Date.now(), loop.isAdvancing ? Date.now() + TURN_HELD_MS : 0);\n",
    to: "",
    onlyBy: [],
  },
  {
    name: "files of an attempt that a stop cut off are forgotten",
    file: `${OBJECT}/tasks/run-tasks.ts`,
    from: "for (const task of dropped) {",
    to: "for (const task of dropped.slice(0, 0)) {",
    firstSeed: 550,
    onlyBy: ["lost workers", "unruly reports", "clock forward", ...CRASHES],
  },
  {
    name: "[E25] an element is charged more than was reserved for it",
    file: `${STEP}/charge.ts`,
    from: "milliCredits: Math.min(milli, node.costMilliCredits),\n    quantity: isOfUnit",
    to: "milliCredits: milli,\n    quantity: isOfUnit",
    isOfMoney: true,
  },
  {
    name: "[E25] what a report claims does not count",
    file: `${STEP}/charge.ts`,
    from: "if (claimed === undefined) {",
    to: "if (claimed === undefined || claimed.milli_credits > 0) {",
    onlyBy: [],
  },
  {
    name: "[E25] an element is charged once more for each of its waits",
    file: `${OBJECT}/tasks/task-reports.ts`,
    from: "settledOutcome(outcome, charge, digests,",
    to: "settledOutcome(outcome, charge && { ...charge, milli_credits: charge.milli_credits * (1 + (leased.get(task_id)?.wait?.waits ?? 0)) }, digests,",
    onlyBy: [],
  },
  {
    name: "[E26] a token is lost with the attempt that goes on after it",
    file: `${OBJECT}/tasks/task-waits.ts`,
    from: 'task.status = "waiting";',
    to: 'task.wait = null;\n      task.status = "waiting";',
    onlyBy: [],
  },
  {
    name: "[E26] going on after a wait is a new attempt",
    file: `${OBJECT}/tasks/task-waits.ts`,
    from: "task.attempt--;\n      task.wait = wait;",
    to: "task.wait = wait;",
    onlyBy: [],
  },
  {
    name: "[E33] a page of elements begins with the last of the page before",
    file: `${OBJECT}/blocks/element-pages.ts`,
    from: "next: at < range.to ? at - range.from : null",
    to: "next: at < range.to ? at - range.from - 1 : null",
    onlyBy: [],
  },
  {
    name: "[E33] an aggregator whose elements all failed gets a task",
    file: `${STEP}/fold-aggregate.ts`,
    from: "    if (this.#lost > 0) {\n",
    to: "    if (this.#lost > 0 && this.#fold !== undefined) {\n",
  },
  {
    name: "[E34] a column that may fail fails its element",
    file: `${STEP}/fold-aggregate.ts`,
    from: "isBad ||= input.mayFail !== true;",
    to: "isBad = true;",
  },
  {
    name: "[E34] an element that is kept without a column does not count as failed",
    file: `${STEP}/fold-aggregate.ts`,
    from: "this.#lacking += isFailed ? 1 : 0;",
    to: "this.#lacking += isFailed ? 0 : 0;",
  },
  {
    name: "[E34] the place of an element is that on its page",
    file: `${OBJECT}/blocks/element-pages.ts`,
    from: "places.push(at - range.from);",
    to: "places.push(elements.length - 1);",
    onlyBy: [],
  },
  {
    name: "[E34] a page does not say how many elements failed",
    file: `${OBJECT}/blocks/element-pages.ts`,
    from: "return { elements, places, failed, next",
    to: "return { elements, places, failed: 0, next",
    onlyBy: [],
  },
  {
    name: "[E30] a task that is given back has lost an attempt",
    file: `${OBJECT}/tasks/task-waits.ts`,
    from: "task.attempt--;\n      task.givenBack++;",
    to: "task.givenBack++;",
    onlyBy: [],
  },
  {
    name: "[E30] a task may be given back forever",
    file: `${STEP}/give-back.ts`,
    from: "if (givenBack > GIVE_BACKS_MAX) {",
    to: "if (givenBack > 1_000_000) {",
    onlyBy: [],
  },
  {
    name: "[E30] a task that is given back is not offered again",
    file: `${OBJECT}/tasks/task-waits.ts`,
    from: "      task.givenBack++;\n      this.retryAfter(id, delayMs, durationMs, nowMs);",
    to: "      task.givenBack++;",
    onlyBy: [],
  },
  {
    name: "[E27] each attempt has a key of its own",
    file: `${OBJECT}/tasks/describe-tasks.ts`,
    from: "`call.${node.id}.${row.element}`",
    to: "`call.${node.id}.${row.element}.${row.attempt}`",
    onlyBy: [],
  },
  {
    name: "[E37] an aggregate is taken over though an element changed",
    file: "src/engine/drive/take-result.ts",
    from: "if (isSame?.(member, read) !== true) {",
    to: "if (isSame === undefined) {",
    isOfRetry: true,
  },
  {
    name: "[E36] an element that is taken over is charged",
    file: "src/engine/reuse/take-over.ts",
    from: "this.charge = node.costMilliCredits > 0 ? { milliCredits: 0, quantity: null } : undefined;",
    to: "this.charge = undefined;",
    isOfRetry: true,
  },
  {
    name: "[E36] the parameters of a node do not count",
    file: "src/engine/reuse/match-nodes.ts",
    from: "    canonicalJson(parseJson(stringifyJson(node.params as JsonValue))),\n",
    to: "    null,\n",
    isOfRetry: true,
  },
  {
    name: "[E36] what an element receives does not count",
    file: "src/engine/reuse/take-over.ts",
    from: "return isSameCell(input, cell, source.port, before, fed.port);",
    to: "return before !== undefined;",
    isOfRetry: true,
  },
  {
    name: "[E36] a failed element is taken over",
    file: "src/engine/reuse/take-over.ts",
    from: 'cell.status !== "ok" || !this.#receivesSame',
    to: "!this.#receivesSame",
    isOfRetry: true,
  },
  {
    name: "[E38] what depends on forced elements is taken over",
    file: "src/engine/reuse/forced-elements.ts",
    from: "        if (feeder !== undefined && this.#reached.has(feeder.index)) {\n",
    to: "        if (feeder !== undefined && this.#reached.has(-1)) {\n",
    isOfRetry: true,
  },
  {
    name: "[E40] an element is taken from a place that received something else",
    file: "src/engine/reuse/received-hash.ts",
    from: 'this.#text.add(`=${content ?? ""}`);',
    to: "this.#text.add(`=`);",
    isOfRetry: true,
  },
  {
    name: "[E39] the count at submit leaves out elements without a result",
    file: "src/engine/reuse/count-needed.ts",
    from: 'isDone[element] = status === "ok" || status === "absent" ? 1 : 0;',
    to: "isDone[element] = 1;",
    isOfRetry: true,
  },
  {
    name: "[E39] a plan is reserved for fewer elements than run",
    file: "src/engine/step/step.ts",
    from: "this.#reserve(node, counted);",
    to: "this.#reserve(node, counted - 1);",
    isOfRetry: true,
  },
];

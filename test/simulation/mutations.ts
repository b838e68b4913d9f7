/** Faults planted in the engine's own text: each must be found by the simulation, or it checks nothing. */
export interface Mutation {
  /** The rule it breaks, and how. */
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Found by runs with money and cancels rather than by comparing results. */
  readonly isOfMoney?: boolean;
}

const STEP = "src/engine/step";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "E10: an optional input that failed does not block",
    file: `${STEP}/gather-inputs.ts`,
    from: 'isBlocked ||= cell.status === "failed" || cell.status === "blocked";',
    to: 'isBlocked ||= input.required && (cell.status === "failed" || cell.status === "blocked");',
  },
  {
    name: "E10: an absent required input fails to make the element absent",
    file: `${STEP}/gather-inputs.ts`,
    from: "isAbsent ||= input.required;",
    to: "isAbsent ||= false;",
  },
  {
    name: "E5: an element reads its neighbour (wrong projection)",
    file: `${STEP}/gather-inputs.ts`,
    from: "(layout.project(from, to)[ord] ?? 0);",
    to: "(layout.project(from, to)[Math.max(0, ord - 1)] ?? 0);",
  },
  {
    name: "E18: a merge takes the last that is present",
    file: `${STEP}/gather-inputs.ts`,
    from: "if (taken === undefined && value !== undefined) {",
    to: "if (value !== undefined) {",
  },
  {
    name: "E11: a node opens before what feeds it has settled",
    file: `${STEP}/step.ts`,
    from: 'phase === "settled" || (streams && phase === "open")',
    to: 'phase === "settled" || phase === "open"',
  },
  {
    name: "E13: failed elements are folded in as absent",
    file: `${STEP}/fold-aggregate.ts`,
    from: "if (isBad) {\n      this.#failed++;\n      return;\n    }",
    to: "if (isBad) {\n      return;\n    }",
  },
  {
    name: "E13: of failed elements only, an aggregator makes an empty list",
    file: `${STEP}/fold-aggregate.ts`,
    from: "if (this.#kept === 0) {",
    to: "if (this.#kept < 0) {",
  },
  {
    name: "E16: a run with failed work and an output is called completed",
    file: `${STEP}/final-status.ts`,
    from: 'isAnyPresent ? "partial_success"',
    to: 'isAnyPresent ? "completed"',
  },
  {
    name: "E19: ok elements are counted twice",
    file: `${STEP}/step.ts`,
    from: "ok: now.ok + progress.ok,",
    to: "ok: now.ok + 2 * progress.ok,",
  },
  {
    name: "E11: an element is skipped",
    file: `${STEP}/gather-inputs.ts`,
    from: "if (cell === undefined) {\n        return PENDING;",
    to: 'if (cell === undefined || (ord === 3 && node.type.role === "output")) {\n        return PENDING;',
  },
  {
    name: "E12: a slice begins one element late",
    file: `${STEP}/next-work.ts`,
    from: "const size = Math.max(1, Math.floor(SLICE_WORK_MAX",
    to: "if (from === 0 && total > 2) { from = 1; }\n  const size = Math.max(1, Math.floor(SLICE_WORK_MAX",
  },
  {
    name: "E14: a nested enumerator's indices count on over its parents",
    file: "src/engine/layout/layout.ts",
    from: "indices.unshift(element - (laid.first[parent] ?? 0));",
    to: "indices.unshift(element);",
  },
  {
    name: "E17: a paid plan starts without its reservation",
    file: `${STEP}/step.ts`,
    from: "if (liability > 0) {",
    to: "if (liability > 1e9) {",
    isOfMoney: true,
  },
  {
    name: "E17: a cancel lets new work start",
    file: `${STEP}/next-work.ts`,
    from: 'if (state.status !== "running" || state.stopped !== null) {',
    to: 'if (state.status !== "running" && state.status !== "cancelling") {',
    isOfMoney: true,
  },
];

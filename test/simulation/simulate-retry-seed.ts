import { isDeepStrictEqual } from "node:util";
import type { PlanNode } from "../../src/engine/plan/plan.ts";
import { countNeeded } from "../../src/engine/reuse/count-needed.ts";
import type { Rerun } from "../../src/engine/reuse/forced-elements.ts";
import { restoreLayout } from "../../src/engine/drive/restore-layout.ts";
import { elementScope } from "../../src/engine/reuse/forced-elements.ts";
import { isEnumerator } from "../../src/engine/plan/node-kind.ts";
import { plainOutcome } from "./plain-outcome.ts";
import { randomEdit } from "./random-edit.ts";
import { randomGraph, type RandomGraph } from "./random-graph.ts";
import { referenceKey, referenceReuse, type ReferenceElements } from "./reference-reuse.ts";
import type { ReferenceElement } from "./reference-interpreter.ts";
import type { Interpretation } from "./reference-result.ts";
import { type EngineOutcome, runEngine } from "./run-engine.ts";
import { SeededRandom } from "./seeded-random.ts";
import { findSimulatedNode, referenceOutcome } from "./simulate-seed.ts";

/** What a retry did and what it had to do, as plain data. */
interface Done {
  readonly outcome: ReturnType<typeof plainOutcome>;
  /** The elements that it took over, by node id and indices. */
  readonly reused: readonly string[];
  /** The elements that ran as tasks and should not have; none are expected. */
  readonly needless: readonly string[];
  /** Nodes that ran more elements than were counted when an unchanged retry was submitted; none are expected. */
  readonly uncounted: readonly string[];
  readonly saved: number;
  readonly charged: number;
}

export interface RetryVerdict {
  readonly actual: Done;
  readonly expected: Done;
}

interface Ran {
  readonly graph: RandomGraph;
  readonly outcome: EngineOutcome;
  readonly elements: ReferenceElements;
  /** What each element was charged where it was worked out. */
  readonly charges: ReadonlyMap<string, number>;
}

/**
 * One seed: a run that may fail, be refused or be cancelled, then two retries, one of the other, each perhaps with an
 * edited definition or inputs. Their results must be those of runs from nothing.
 */
export async function simulateRetrySeed(seed: number): Promise<readonly RetryVerdict[]> {
  const random = new SeededRandom(seed * 104_729);
  const graph = randomGraph(seed, findSimulatedNode, random.chance(0.5) ? 0.4 : 0);
  let source = await firstRun(seed, graph, random);
  const verdicts: RetryVerdict[] = [];
  for (let retry = 1; retry <= 2; retry += 1) {
    const made = await retryOf(source, seed + retry * 1_000_003, random);
    if (made === undefined) {
      break;
    }
    verdicts.push(made.verdict);
    source = made.ran;
  }
  return verdicts;
}

async function firstRun(seed: number, graph: RandomGraph, random: SeededRandom): Promise<Ran> {
  const cancelAt = random.chance(0.3) ? random.int(0, 12) : undefined;
  const balance = random.pick([100, 400, 1_000_000, 1_000_000, 1_000_000]);
  const outcome = await runEngine({
    ...graph,
    findNodeType: findSimulatedNode,
    seed,
    money: { balance },
    ...(cancelAt === undefined ? {} : { cancelAt }),
  });
  const { elements } = await reference(graph, false);
  return { graph, outcome, elements, charges: chargesOf(outcome) };
}

/** Undefined if the drawn edit leaves nothing that can run. */
async function retryOf(
  source: Ran,
  seed: number,
  random: SeededRandom,
): Promise<{ readonly verdict: RetryVerdict; readonly ran: Ran } | undefined> {
  const graph = randomEdit(source.graph, random, findSimulatedNode);
  const whole = graph && (await tryReference(graph));
  if (graph === undefined || whole === undefined) {
    return undefined;
  }
  const { elements, result } = whole;
  const rerun = random.chance(0.3) ? randomRerun(elements, random) : undefined;
  const settled = new Set(
    [...source.outcome.cells].flatMap(([id, cells]) =>
      cells.filter(({ state }) => state === "ok").map(({ indices }) => referenceKey(id, indices)),
    ),
  );
  const isAlways = random.chance(0.5) ? (type: string) => type.startsWith("fake/") : () => false;
  const takenFrom = referenceReuse(
    elements,
    source.elements,
    (key) => settled.has(key),
    isAlways,
    rerun,
  );
  const expectedReuse = new Set(takenFrom.keys());
  const outcome = await runEngine({
    ...graph,
    findNodeType: findSimulatedNode,
    seed,
    source: source.outcome,
    isHealed: true,
    isCacheableAlways: isAlways,
    ...(rerun !== undefined && { rerun }),
  });
  const reused = reusedBy(outcome);
  const charges = new Map(chargesOf(outcome));
  let saved = 0;
  for (const [key, from] of takenFrom) {
    const charge = source.charges.get(from) ?? 0;
    charges.set(key, charge);
    saved += charge;
  }
  const expected = withoutCharges(result, expectedReuse);
  return {
    verdict: {
      actual: {
        outcome: plainOutcome(outcome),
        reused: [...reused].toSorted(),
        needless: executedBy(outcome).filter((key) => expectedReuse.has(key)),
        uncounted: isDeepStrictEqual(graph, source.graph)
          ? uncounted(source.outcome, outcome, rerun)
          : [],
        saved: outcome.rows.state.nodes.reduce((sum, node) => sum + node.saved, 0),
        charged: outcome.chargedMilliCredits,
      },
      expected: {
        outcome: plainOutcome(expected),
        reused: [...expectedReuse].toSorted(),
        needless: [],
        uncounted: [],
        saved,
        charged: [...chargesOf(expected).values()].reduce((sum, charge) => sum + charge, 0),
      },
    },
    ran: { graph, outcome, elements, charges },
  };
}

async function reference(
  graph: RandomGraph,
  isHealed: boolean,
): Promise<{ readonly elements: ReferenceElements; readonly result: Interpretation }> {
  const elements = new Map<string, ReferenceElement>();
  const result = await referenceOutcome(graph, isHealed, (element) => {
    elements.set(referenceKey(element.node.id, element.indices), element);
  });
  return { elements, result };
}

/** Undefined if a submit rejects the inputs. */
async function tryReference(
  graph: RandomGraph,
): Promise<Awaited<ReturnType<typeof reference>> | undefined> {
  try {
    return await reference(graph, true);
  } catch {
    return undefined;
  }
}

function randomRerun(elements: ReferenceElements, random: SeededRandom): Rerun | undefined {
  const all = [...elements.values()];
  if (all.length === 0) {
    return undefined;
  }
  const { node } = random.pick(all);
  const own = all.filter((element) => element.node.id === node.id);
  return random.chance(0.5)
    ? { node: node.id }
    : {
        node: node.id,
        indices: own.filter(() => random.chance(0.4)).map(({ indices }) => indices),
      };
}

/** What each element is charged, by node id and indices. */
export function chargesOf({ cells }: Interpretation): Map<string, number> {
  return new Map(
    [...cells].flatMap(([id, each]) =>
      each.map(({ indices, charge }) => [referenceKey(id, indices), charge ?? 0] as const),
    ),
  );
}

/** The same, with nothing charged for these elements. */
export function withoutCharges(
  result: Interpretation,
  reused: ReadonlySet<string>,
): Interpretation {
  return {
    ...result,
    cells: new Map(
      [...result.cells].map(([id, cells]) => [
        id,
        cells.map(({ charge, ...cell }) =>
          charge === undefined || reused.has(referenceKey(id, cell.indices))
            ? cell
            : { ...cell, charge },
        ),
      ]),
    ),
  };
}

function uncounted(
  { plan, rows }: EngineOutcome,
  retry: EngineOutcome,
  rerun: Rerun | undefined,
): string[] {
  const layout = restoreLayout(plan, rows.state, rows);
  const settled = (node: PlanNode) =>
    isEnumerator(node)
      ? rows.axisRows(node.axis).map(({ parent, status }) => ({ element: parent, status }))
      : rows.cellsOf(node.index);
  const needed = countNeeded({ plan, state: rows.state, layout, settled }, rerun);
  return plan.nodes
    .filter((node) => {
      const ran = retry.rows.state.nodes[node.index]?.runs ?? 0;
      return ran > (needed.get(node) ?? Infinity);
    })
    .map(({ id }) => id);
}

/** The elements that ran as tasks, once for each attempt. */
function executedBy({ plan, rows, executed }: EngineOutcome): string[] {
  const layout = restoreLayout(plan, rows.state, rows);
  return executed.map(({ node: index, element }) => {
    const node = plan.nodes[index]!;
    return referenceKey(node.id, layout.indices(elementScope(node), element));
  });
}

function reusedBy({ plan, rows }: EngineOutcome): Set<string> {
  const layout = restoreLayout(plan, rows.state, rows);
  const reused = new Set<string>();
  for (const node of plan.nodes) {
    const elements = isEnumerator(node)
      ? rows.axisRows(node.axis).flatMap((row) => (row.reused === undefined ? [] : [row.parent]))
      : rows.cellsOf(node.index).flatMap((row) => (row.reused === undefined ? [] : [row.element]));
    for (const element of elements) {
      reused.add(referenceKey(node.id, layout.indices(elementScope(node), element)));
    }
  }
  return reused;
}

import type { DraftNode, IssueList } from "./draft.ts";

/**
 * Returns the topological order; of several ready nodes the lowest in `nodes[]` is first [E6]. Undefined, with an issue
 * that lists the nodes, if there is a cycle.
 */
export function orderNodes(
  drafts: readonly DraftNode[],
  issues: IssueList,
): DraftNode[] | undefined {
  const waiting = new Map<DraftNode, Set<DraftNode>>();
  for (const draft of drafts) {
    const upstream = [...draft.sources.values()].flat().map((source) => source.node);
    waiting.set(draft, new Set(upstream));
  }
  const ordered: DraftNode[] = [];
  while (waiting.size > 0) {
    // Map order is nodes[] order, so the first ready one is the lowest.
    const next = [...waiting].find(([, upstream]) => upstream.size === 0)?.[0];
    if (next === undefined) {
      reportCycle(waiting, issues);
      return undefined;
    }
    waiting.delete(next);
    ordered.push(next);
    for (const upstream of waiting.values()) {
      upstream.delete(next);
    }
  }
  return ordered;
}

function reportCycle(waiting: ReadonlyMap<DraftNode, Set<DraftNode>>, issues: IssueList): void {
  // Every waiting node waits for another one, so following the sources of any of them ends in a cycle.
  const path: DraftNode[] = [];
  let node = waiting.keys().next().value;
  while (node !== undefined && !path.includes(node)) {
    path.push(node);
    node = waiting.get(node)?.values().next().value;
  }
  const loop = node === undefined ? path : path.slice(path.indexOf(node));
  const names = loop.map((draft) => `"${draft.definition.id}"`).toReversed();
  issues.add({
    code: "CYCLE",
    path: "connections",
    ...(loop[0] === undefined ? {} : { node_id: loop[0].definition.id }),
    message: `The nodes ${names.join(" → ")} → ${names[0] ?? ""} form a cycle. A workflow runs forward only.`,
    suggestion: "Remove one of the connections between them.",
  });
}

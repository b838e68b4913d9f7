import type { DraftNode, IssueList } from "./draft.ts";

/** The port naming rule: trimmed, spaces to underscores, lower case (docs/contract/workflows.md#ports). */
export function portName(label: string): string {
  return label.trim().replaceAll(" ", "_").toLowerCase();
}

/**
 * Names inputs or outputs in `nodes[]` order: an explicit key wins; others are derived from the label (or the id) with
 * `_2`, `_3` …, skipping every taken name [E7].
 */
export function namePorts(
  drafts: readonly DraftNode[],
  explicitKey: (draft: DraftNode) => string | undefined,
  issues: IssueList,
): Map<DraftNode, string> {
  const names = new Map<DraftNode, string>();
  const taken = new Map<string, DraftNode>();
  for (const draft of drafts) {
    const key = explicitKey(draft);
    if (key === undefined) {
      continue;
    }
    const other = taken.get(key);
    if (other !== undefined) {
      issues.add({
        code: "DUPLICATE_KEY",
        path: `nodes[${draft.position}].parameters.key`,
        node_id: draft.definition.id,
        message: `The key "${key}" is already used by node "${other.definition.id}". Give each output its own key.`,
      });
      continue;
    }
    taken.set(key, draft);
    names.set(draft, key);
  }
  for (const draft of drafts) {
    if (explicitKey(draft) !== undefined) {
      continue;
    }
    const base = portName(draft.definition.label ?? "") || portName(draft.definition.id);
    let name = base;
    for (let suffix = 2; taken.has(name); suffix++) {
      name = `${base}_${suffix}`;
    }
    taken.set(name, draft);
    names.set(draft, name);
  }
  return names;
}

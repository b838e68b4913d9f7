/** Issues of a validation or of a refused save, by node and parameter. */
import type { Graph } from "./graph.ts";

/** An issue as the service reports it. */
export interface ReportedIssue {
  readonly path?: string;
  readonly field?: string;
  readonly message: string;
  readonly code?: string;
  readonly node_id?: string;
  readonly suggestion?: string;
}

export interface Issue {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly suggestion: string;
  /** JSON path in the definition. */
  readonly path: string;
  /** The node that has the issue; null for the definition as a whole. */
  readonly node: string | null;
  /** The parameter that has it; null for the node as a whole. */
  readonly parameter: string | null;
}

/** The issues with their places in this graph, errors first, in the order of the nodes. */
export function readIssues(
  graph: Graph,
  report: {
    readonly errors: readonly ReportedIssue[];
    readonly warnings?: readonly ReportedIssue[];
  },
): readonly Issue[] {
  const order = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const place = ({ node }: Issue): number => order.get(node ?? "") ?? -1;
  const read = (severity: Issue["severity"], list: readonly ReportedIssue[]): Issue[] =>
    list.map((issue) => readIssue(graph, severity, issue)).toSorted((a, b) => place(a) - place(b));
  return [...read("error", report.errors), ...read("warning", report.warnings ?? [])];
}

function readIssue(graph: Graph, severity: Issue["severity"], issue: ReportedIssue): Issue {
  // A refusal of the service may put its issues below `definition`.
  const path = (issue.path ?? issue.field ?? "").replace(/^(?:body\.)?(?:definition\.)?/, "");
  const [, list, index, rest] = /^(nodes|connections)\[(\d+)\](.*)$/.exec(path) ?? [];
  const at = Number(index);
  const byPath =
    list === "nodes"
      ? graph.nodes[at]?.id
      : list === "connections"
        ? graph.wires[at]?.to.node
        : undefined;
  const [, plain, quoted] = /^\.parameters(?:\.([^.[]+)|\["([^"]+)"\])/.exec(rest ?? "") ?? [];
  return {
    severity,
    code: issue.code ?? "",
    message: issue.message,
    suggestion: issue.suggestion ?? "",
    path,
    node: issue.node_id ?? byPath ?? null,
    parameter: list === "nodes" ? (plain ?? quoted ?? null) : null,
  };
}

/** The issues of each node, and of the definition as a whole under null. */
export function issuesByNode(
  issues: readonly Issue[],
): ReadonlyMap<string | null, readonly Issue[]> {
  const byNode = new Map<string | null, Issue[]>();
  for (const issue of issues) {
    const list = byNode.get(issue.node);
    if (list === undefined) {
      byNode.set(issue.node, [issue]);
    } else {
      list.push(issue);
    }
  }
  return byNode;
}

/** The result of `compile`: the compiled form of a definition that runs use, computed once per version. */
import type { MediaKind } from "../../contracts/media/media-kinds.ts";
import type { IssueCode } from "../../contracts/workflows/definition-issue.ts";
import type { NodeReference } from "../../contracts/references.ts";
import type { CacheOptions } from "../../contracts/runs/cache-options.ts";
import type { UsageUnit } from "../../contracts/runs/task.ts";
import type { PortType } from "../../contracts/workflows/port-type.ts";
import type { NodeType } from "../../nodes/define-roles.ts";

/** For tasks whose type sets no limit. */
export const DEFAULT_TIME_LIMIT_MS = 300_000;

/** An axis of iteration, opened by one enumerator. Axes are numbered in their total order [E4]. */
export interface Axis {
  readonly index: number;
  /** Index in `plan.nodes` of the enumerator that opens it. */
  readonly node: number;
  /** Scope of the enumerator itself; the axis has one list of items for each of its elements. */
  readonly parentScope: number;
}

/** A set of axes, ascending in the total order; scope 0 is the empty one [E5]. */
export interface Scope {
  readonly index: number;
  readonly axes: readonly number[];
  /** The scope without its last axis; -1 for the empty scope. */
  readonly prefix: number;
}

/** One connection into a port. */
export interface Source {
  /** Index in `plan.nodes`. */
  readonly node: number;
  readonly port: string;
  /** Scope in which that output varies. */
  readonly scope: number;
}

export interface PlanInput {
  readonly port: string;
  readonly type: PortType;
  readonly required: boolean;
  readonly isList: boolean;
  readonly minCount: number;
  /** For an aggregator: read once for each result [E29]. */
  readonly once?: boolean;
  /** For a column of an aggregator: an element keeps its place without it where it failed [E34]. */
  readonly mayFail?: boolean;
  readonly accepts: readonly PortType[];
  readonly sources: readonly Source[];
}

export interface PlanNode {
  /** Position in `plan.nodes`, which is topological, ties in `nodes[]` order. */
  readonly index: number;
  /** Position in the definition's `nodes[]`. */
  readonly position: number;
  readonly id: string;
  readonly label: string;
  readonly type: NodeType;
  readonly params: unknown;
  /** The fetched resources that its parameters refer to; omitted if there are none. */
  readonly references?: readonly NodeReference[];
  /** How the definition has it use the result cache; omitted if it says nothing. */
  readonly cache?: CacheOptions;
  readonly inputs: readonly PlanInput[];
  readonly outputTypes: ReadonlyMap<string, PortType>;
  /** Scope in which the node runs: the join of its inputs. */
  readonly scope: number;
  /** Scope of its outputs: `scope`, plus an axis for an enumerator, minus axes for an aggregator. */
  readonly outputScope: number;
  /** The axis that it opens, -1 if none. */
  readonly axis: number;
  readonly placement: "inline" | "task";
  readonly work: number;
  /** The highest charge of one element, which is reserved for it. */
  readonly costMilliCredits: number;
  /** The unit of the node's usage; null for a node that costs nothing. */
  readonly costUnit: UsageUnit | null;
  /** Whether an element may be charged less than that. */
  readonly isCostCeiling: boolean;
  readonly timeLimitMs: number;
}

export interface PlanOutput {
  readonly node: number;
  /** The key in results and events. */
  readonly key: string;
  readonly type: "text" | "json" | MediaKind;
  readonly label: string;
  readonly description: string;
  readonly cardinality: "single" | "multiple";
  /** No branch and no optional input can make it absent. */
  readonly required: boolean;
}

export interface PlanPort {
  readonly node: number;
  /** The key in `inputs` (port naming rule). */
  readonly name: string;
}

export interface Plan {
  readonly nodes: readonly PlanNode[];
  readonly axes: readonly Axis[];
  readonly scopes: readonly Scope[];
  readonly outputs: readonly PlanOutput[];
  /** Input nodes in `nodes[]` order with their names. */
  readonly inputs: readonly PlanPort[];
}

/** An issue of a definition: a field error with the data that an editor needs to locate it. */
export interface DefinitionIssue {
  readonly code: IssueCode;
  /** JSON path into the definition; also sent as `field`. */
  readonly path: string;
  readonly message: string;
  readonly node_id?: string;
  /** Omit it to use the default suggestion for the code (`ISSUE_SUGGESTIONS`). */
  readonly suggestion?: string;
}

export interface Compiled {
  /** Present exactly if there are no issues. */
  readonly plan: Plan | undefined;
  readonly issues: readonly DefinitionIssue[];
  readonly warnings: readonly DefinitionIssue[];
}

/** What compile knows of a definition while it still collects problems. */
import type { NodeDefinition } from "../../contracts/definition.ts";
import type { StoredReferences } from "../../contracts/references.ts";
import type { PortType } from "../../contracts/port-type.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import type { InputPort, OutputPort } from "../../nodes/define-ports.ts";
import type { DefinitionIssue } from "../plan/plan.ts";

export interface DraftSource {
  readonly node: DraftNode;
  readonly port: string;
  /** Index in `connections[]`. */
  readonly connection: number;
}

export interface DraftNode {
  readonly definition: NodeDefinition;
  /** Index in `nodes[]`. */
  readonly position: number;
  readonly type: NodeType;
  /** Undefined when the parameters do not pass their schema. */
  readonly params: unknown;
  /** What the parameters refer to, by path. */
  readonly stored: StoredReferences;
  readonly inputs: ReadonlyMap<string, InputPort>;
  readonly outputs: ReadonlyMap<string, OutputPort>;
  /** False for the side whose dynamic ports could not be worked out, so that unknown ports are not reported twice. */
  readonly hasKnown: { readonly inputs: boolean; readonly outputs: boolean };
  /**
   * An enumerator whose own configuration is invalid: what its ports would be is not known, so
   * nothing is said about connections from them until it is.
   */
  readonly isUnsure: boolean;
  /** Connections by input port, in connection order. */
  readonly sources: Map<string, DraftSource[]>;
  /** Types of the outputs once what feeds them is known. */
  readonly outputTypes: Map<string, PortType>;
}

export class IssueList {
  readonly issues: DefinitionIssue[] = [];
  readonly warnings: DefinitionIssue[] = [];

  add(issue: DefinitionIssue): void {
    this.issues.push(issue);
  }

  warn(issue: DefinitionIssue): void {
    this.warnings.push(issue);
  }
}

/** The state of a compilation while issues are collected. */
import type { NodeDefinition } from "../../contracts/workflows/definition.ts";
import type { StoredReferences } from "../../contracts/references.ts";
import type { PortType } from "../../contracts/workflows/port-type.ts";
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
  /** Undefined if the parameters do not match their schema. */
  readonly params: unknown;
  /** The stored resources that the parameters refer to, by path. */
  readonly stored: StoredReferences;
  readonly inputs: ReadonlyMap<string, InputPort>;
  readonly outputs: ReadonlyMap<string, OutputPort>;
  /** False for a side whose dynamic ports could not be determined, so that unknown ports are not reported twice. */
  readonly hasKnown: { readonly inputs: boolean; readonly outputs: boolean };
  /**
   * An enumerator whose own configuration is invalid: its ports are unknown, so connections from them are not checked.
   */
  readonly isUnsure: boolean;
  /** Connections by input port, in connection order. */
  readonly sources: Map<string, DraftSource[]>;
  /** Types of the outputs, once the types of their sources are known. */
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

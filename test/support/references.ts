/** A node whose ports, checks and price depend on a stored form, and a store of forms. */
import * as z from "zod";
import type { ResolvedReference, ResolveReferences } from "../../src/contracts/references.ts";
import type { PortType } from "../../src/contracts/workflows/port-type.ts";
import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import { defineNode } from "../../src/nodes/define-node.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import { findNodeType } from "../../src/nodes/registry.ts";

/** The fields of a form, each of which is a port, and the price of filling it in. */
export interface Form {
  readonly fields: Readonly<Record<string, PortType>>;
  readonly milliCredits: number;
}

export const formNode = defineNode({
  type: "test/form",
  version: "1.0",
  name: "Form",
  description: "Fills in a form.",
  whenToUse: "In tests.",
  status: "stable",
  icon: "test",
  color: "#000000",
  inputs: [],
  outputs: [{ name: "text", type: "text" }],
  params: z.strictObject({
    form: z.string(),
    revision: z.string().nullable().default(null),
    shout: z.boolean().default(false),
  }),
  references: ({ form, revision }) => [{ kind: "form", id: form, revision, path: "form" }],
  dynamicPorts: {
    descriptors: [],
    resolve: (_params, stored) => ({
      inputs: Object.entries(formIn(stored.get("form")).fields).map(([name, type]) => ({
        name,
        type,
      })),
    }),
  },
  check: ({ shout }, _connected, stored) =>
    shout && Object.keys(formIn(stored.get("form")).fields).length > 1
      ? [{ code: "INVALID_PARAMETER", path: "shout", message: "Only a form of one field can." }]
      : [],
  cost: {
    unit: "request",
    milliCredits: (_params, _connected, stored) => formIn(stored.get("form")).milliCredits,
  },
  role: "transform",
  placement: "task",
  run: ({ references }) => new Map([["text", references.get("form")?.version ?? "nothing"]]),
});

function formIn(reference: ResolvedReference | undefined): Form {
  return reference?.content as unknown as Form;
}

export function findWithForms(type: string): NodeType | undefined {
  return type === formNode.type ? formNode : findNodeType(type);
}

/** Forms by name, each with its revisions, newest last. */
export function formStore(forms: Record<string, Form[]>): {
  readonly resolve: ResolveReferences;
  /** Number of requests. */
  readonly asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    resolve: (references) => {
      asked.push(...references.map(({ id }) => id));
      return Promise.resolve(
        references.flatMap((reference): ResolvedReference[] => {
          const revisions = reference.kind === "form" ? (forms[reference.id] ?? []) : [];
          const number = Number(reference.revision ?? revisions.length);
          const form = revisions[number - 1];
          return form === undefined
            ? []
            : [{ ...reference, version: `r${number}`, content: form as unknown as JsonValue }];
        }),
      );
    },
  };
}

/** A definition that passes a name through the form to an output. */
export function formDefinition(parameters: object, port = "name") {
  return {
    nodes: [
      { id: "name", type: "input/text", label: "Name" },
      { id: "fill", type: "test/form", parameters },
      { id: "out", type: "output/text", label: "Out" },
    ],
    connections: [
      { from: { node: "name", port: "text" }, to: { node: "fill", port } },
      { from: { node: "fill", port: "text" }, to: { node: "out", port: "text" } },
    ],
  };
}

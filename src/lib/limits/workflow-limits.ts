import type { Limits } from "./limit.ts";

const MB = 1024 * 1024;

/** Workflows: a part of the table of limits. */
export const WORKFLOW_LIMITS = {
  definition: {
    name: "Definition of a workflow",
    value: MB,
    unit: "bytes",
    reason: "A definition is compiled in memory, within a request.",
  },
  nodes: {
    name: "Nodes of a definition",
    value: 500,
    unit: "count",
    reason: "This many nodes are compiled and checked within a request.",
  },
  connections: {
    name: "Connections of a definition",
    value: 2_000,
    unit: "count",
    reason: "This many connections are compiled and checked within a request.",
  },
  folders: {
    name: "Folders of a workspace",
    value: 5_000,
    unit: "count",
    reason: "Every list of folders contains all of them.",
  },
  folder_depth: {
    name: "Depth of folders",
    value: 20,
    unit: "count",
    reason: "Paths stay readable.",
  },
  workflow_description: {
    name: "Description of a workflow",
    value: 10_000,
    unit: "characters",
    reason: "Lists contain the description whole.",
  },
  tags: {
    name: "Tags of a workflow",
    value: 50,
    unit: "count",
    reason: "Each list of workflows contains them.",
  },
  tag: {
    name: "Tag of a workflow",
    value: 100,
    unit: "characters",
    reason: "A tag is a word or a few.",
  },
  moved_workflows: {
    name: "Workflows that one request moves",
    value: 1_000,
    unit: "count",
    reason: "They are moved in one transaction.",
  },
  interfaces: {
    name: "Custom interfaces of a definition",
    value: 100,
    unit: "count",
    reason: "Each interface is checked against the whole graph.",
  },
  interface_fields: {
    name: "Fields, outputs or allowed values of an interface",
    value: 500,
    unit: "count",
    reason: "A definition has at most as many nodes.",
  },
  input_address: {
    name: "Address or path that is the default of an input",
    value: 2_048,
    unit: "characters",
    reason: "No useful address is longer.",
  },
  aggregated_ports: {
    name: "Input ports of an aggregator, or placeholders of a template",
    value: 200,
    unit: "count",
    reason: "Each of them is a port of the node.",
  },
  separator: {
    name: "Separator between joined texts",
    value: 1_000,
    unit: "characters",
    reason: "It is repeated between all texts.",
  },
  template: {
    name: "Template of `text/template`",
    value: 100_000,
    unit: "characters",
    reason: "Larger texts are inputs.",
  },
  variables: {
    name: "Variables of `utility/calculate`",
    value: 50,
    unit: "count",
    reason: "Each variable is a port of the node.",
  },
  cases: {
    name: "Cases of `utility/switch`",
    value: 20,
    unit: "count",
    reason: "Each case is a port of the node.",
  },
  stripped_texts: {
    name: "Texts that `utility/to_number` removes",
    value: 10,
    unit: "count",
    reason: "These are the currency symbols and units of one column.",
  },
  stripped_text: {
    name: "A text that `utility/to_number` removes",
    value: 100,
    unit: "characters",
    reason: "It is a symbol or a word.",
  },
} as const satisfies Limits;

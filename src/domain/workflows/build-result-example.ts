import type { ContractOutput } from "../../contracts/workflow.ts";

const EXAMPLE_RUN = "run_0190f3c2a5b07c3e8f00000000000001";

/** What `GET /executions/{id}/result` answers for a finished run of these outputs (spec 1 §2.5). */
export function buildResultExample(
  workflowId: string,
  outputs: readonly ContractOutput[],
): Record<string, unknown> {
  const groups = outputs.map((output) => exampleGroup(output));
  const keys = outputs.map((output) => output.key);
  return {
    execution_id: EXAMPLE_RUN,
    workflow_id: workflowId,
    status: "completed",
    is_terminal: true,
    next_poll_after_ms: null,
    credits_used: 0,
    result: {
      by_key: Object.fromEntries(groups.map((group) => [group.key, group])),
      items: groups.flatMap((group) => group.items),
    },
    diagnostics: {
      message: "All expected outputs are present.",
      lookup_rule: "Read result.by_key[<output key>]; check state before value.",
      expected_output_keys: keys,
      available_output_keys: keys,
      warnings: [],
    },
  };
}

function exampleGroup(output: ContractOutput) {
  const isSingle = output.cardinality === "single";
  const body = exampleBody(output);
  const count = isSingle ? 1 : 2;
  const items = Array.from({ length: count }, (_, index) => ({
    key: output.key,
    state: "present",
    delivery: output.delivery === "asset" ? "asset" : "inline",
    ...body,
    source: {
      name: isSingle ? output.logical_name : `${output.logical_name}_${index + 1}`,
      logical_name: output.logical_name,
      node_id: output.source_node_id,
    },
    input_indices: isSingle ? [] : [index],
  }));
  return {
    key: output.key,
    cardinality: output.cardinality,
    state: "present",
    ...(isSingle ? { value: body.value, url: body.url } : {}),
    items,
  };
}

function exampleBody({ type, label }: ContractOutput) {
  const notTried = { status: "not_attempted", format: null, strategy: null };
  switch (type) {
    case "json":
      return {
        value: { example: true },
        url: null,
        raw_value: '{"example":true}',
        parse: { status: "parsed", format: "json", strategy: "json" },
      };
    case "text":
      return {
        value: `Example ${label}`,
        url: null,
        raw_value: `Example ${label}`,
        parse: { status: "parsed", format: "text", strategy: "text" },
      };
    default:
      return {
        value: null,
        url: `https://example.com/output/${type}`,
        raw_value: null,
        parse: notTried,
      };
  }
}

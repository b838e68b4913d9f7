import { exampleMediaFile, isMediaKind } from "../../../contracts/media/media-kinds.ts";
import { thumbnailUrl } from "../../../lib/http/thumbnail-url.ts";
import type { ContractOutput } from "../../../contracts/workflows/workflow.ts";

const EXAMPLE_RUN = "run_0190f3c2a5b07c3e8f00000000000001";

/**
 * The response of `GET /executions/{id}/result` for a completed run with these outputs
 * (docs/contract/results.md#result-view).
 */
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
      message: `The run is completed. ${keys.length} of ${keys.length} outputs ${keys.length === 1 ? "is" : "are"} present.`,
      lookup_rule:
        "Read result.by_key[<output key>]: value or url when cardinality is single, items[] when it is multiple.",
      expected_output_keys: keys,
      available_output_keys: keys,
      warnings: [],
    },
  };
}

function exampleGroup(output: ContractOutput) {
  const isSingle = output.cardinality === "single";
  const { file, ...body } = exampleBody(output);
  const items = Array.from({ length: isSingle ? 1 : 2 }, (_, index) => ({
    key: output.key,
    type: output.type,
    delivery: output.delivery === "asset" ? "asset" : "inline",
    ...body,
    ...file,
    source: {
      name: `${output.logical_name}_${EXAMPLE_RUN.slice(-12)}_${index}`,
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
  switch (type) {
    case "json":
      return {
        value: { example: true },
        url: null,
        parse: { status: "parsed", format: "json", strategy: "declared_json" },
        raw_value: '{"example":true}',
        file: {},
      };
    case "text":
      return {
        value: `Example ${label}`,
        url: null,
        parse: { status: "not_attempted", format: "text", strategy: "plain_text" },
        raw_value: `Example ${label}`,
        file: {},
      };
    default: {
      const { url, contentType } = isMediaKind(type)
        ? exampleMediaFile(type)
        : { url: `https://example.com/${type}.bin`, contentType: "application/octet-stream" };
      return {
        value: null,
        url,
        parse: { status: "not_attempted", format: null, strategy: "none" },
        raw_value: null,
        file: {
          ...(type === "image" ? { thumbnail_url: thumbnailUrl(url) } : {}),
          content_type: contentType,
          size_bytes: 1024,
        },
      };
    }
  }
}

import { thumbnailUrl } from "../../lib/http/thumbnail-url.ts";
import { nameAddress } from "./name-address.ts";
import { outputName } from "./output-name.ts";
import { RESOLVED_MAX_BYTES, utf8Bytes, type ValueBudget } from "./value-budget.ts";
import type { Cause, ViewCell, ViewInput, ViewOutput } from "./view-input.ts";

/** The representation of one element for callers, with values as JSON text. */
interface Delivered {
  readonly delivery: "inline" | "resolved_text" | "asset" | "absent" | "unavailable";
  /** JSON text of the value; `null` for files, absent values and values that are too large. */
  readonly valueJson: string;
  readonly url: string | null;
  readonly parse: {
    readonly status: "parsed" | "failed" | "not_attempted" | "too_large";
    readonly format: "json" | "text" | null;
    readonly strategy: string;
  };
  readonly rawValue: string | null;
  readonly file: { readonly contentType: string; readonly sizeBytes: number } | null;
  readonly thumbnailUrl: string | null;
  /** The reason why the value is unavailable. */
  readonly error?: Cause | null;
}

const NOTHING = {
  valueJson: "null",
  url: null,
  parse: { status: "not_attempted", format: null, strategy: "none" },
  rawValue: null,
  file: null,
  thumbnailUrl: null,
} as const;

/** Picture types that have thumbnails. */
const DRAWN: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "image/avif",
  "image/svg+xml",
]);

/** One rendered element: the whole item, and the two fields that the group of a single output repeats. */
export interface RenderedItem {
  readonly itemJson: string;
  readonly valueJson: string;
  readonly urlJson: string;
}

/** Renders one element (docs/contract/results.md#items, docs/contract/results.md#sizes). Number tokens are kept: JSON bodies are passed on as text. */
export async function renderItem(
  input: ViewInput,
  output: ViewOutput,
  cell: ViewCell,
  budget: ValueBudget,
): Promise<RenderedItem> {
  const item = await deliver(input, output, cell, budget);
  const members = [
    `"key":${JSON.stringify(output.key)}`,
    `"type":${JSON.stringify(output.type)}`,
    `"delivery":"${item.delivery}"`,
    `"value":${item.valueJson}`,
    `"url":${JSON.stringify(item.url)}`,
    `"parse":${JSON.stringify(item.parse)}`,
    `"raw_value":${JSON.stringify(item.rawValue)}`,
  ];
  if (output.type === "image") {
    members.push(`"thumbnail_url":${JSON.stringify(item.thumbnailUrl)}`);
  }
  if (item.file !== null) {
    members.push(
      `"content_type":${JSON.stringify(item.file.contentType)}`,
      `"size_bytes":${String(item.file.sizeBytes)}`,
    );
  }
  if (item.error !== undefined) {
    members.push(`"error":${JSON.stringify(item.error)}`);
  }
  const source = {
    name: outputName(input, output, cell.element),
    logical_name: output.key,
    node_id: output.nodeId,
  };
  members.push(
    `"source":${JSON.stringify(source)}`,
    `"input_indices":${JSON.stringify(cell.indices)}`,
  );
  return {
    itemJson: `{${members.join(",")}}`,
    valueJson: item.valueJson,
    urlJson: JSON.stringify(item.url),
  };
}

async function deliver(
  input: ViewInput,
  output: ViewOutput,
  cell: ViewCell,
  budget: ValueBudget,
): Promise<Delivered> {
  if (cell.state === "absent") {
    return { ...NOTHING, delivery: "absent" };
  }
  const { body } = cell;
  if (cell.state !== "ok" || body === null) {
    return { ...NOTHING, delivery: "unavailable", error: input.cause(output, cell) };
  }
  switch (body.kind) {
    case "file": {
      const url = nameAddress(input.fileUrl(output, cell, body.file), output, cell);
      const thumbnail = DRAWN.has(body.file.contentType) ? thumbnailUrl(url) : null;
      return { ...NOTHING, delivery: "asset", url, file: body.file, thumbnailUrl: thumbnail };
    }
    case "text":
      return budget.take(utf8Bytes(body.text))
        ? { ...NOTHING, delivery: "inline", ...readValue(output, body.text) }
        : {
            ...NOTHING,
            ...tooLarge(output, nameAddress(input.cellUrl(output, cell), output, cell)),
          };
    case "stored_text": {
      const url = nameAddress(input.fileUrl(output, cell, body.file), output, cell);
      if (body.file.sizeBytes > RESOLVED_MAX_BYTES || !budget.take(body.file.sizeBytes)) {
        return { ...NOTHING, ...tooLarge(output, url) };
      }
      const text = await input.readText(body.file);
      return text === null
        ? { ...NOTHING, delivery: "asset", url }
        : { ...NOTHING, delivery: "resolved_text", ...readValue(output, text) };
    }
  }
}

function tooLarge(output: ViewOutput, url: string): Pick<Delivered, "delivery" | "url" | "parse"> {
  const format = output.type === "json" ? "json" : "text";
  return {
    delivery: "asset",
    url,
    parse: { status: "too_large", format, strategy: "size_limit" },
  };
}

function readValue(
  output: ViewOutput,
  text: string,
): Pick<Delivered, "valueJson" | "parse" | "rawValue"> {
  const isDeclared = output.type === "json";
  // docs/contract/results.md#items: a text body is parsed only if it starts with one of these; `output/json` always is.
  if (!isDeclared && !text.startsWith("{") && !text.startsWith("[")) {
    return {
      valueJson: JSON.stringify(text),
      rawValue: text,
      parse: { status: "not_attempted", format: "text", strategy: "plain_text" },
    };
  }
  const strategy = isDeclared ? "declared_json" : "leading_bracket";
  return isJson(text)
    ? { valueJson: text, rawValue: text, parse: { status: "parsed", format: "json", strategy } }
    : {
        valueJson: JSON.stringify(text),
        rawValue: text,
        parse: { status: "failed", format: "text", strategy },
      };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

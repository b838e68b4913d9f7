import { aggregateJson } from "./aggregate/json.ts";
import { aggregateText } from "./aggregate/text.ts";
import type { NodeType } from "./define-roles.ts";
import { IMAGE_VARIANT_NODES } from "./ai/image-variants.ts";
import { aiRemoveBackground } from "./ai/remove-background.ts";
import { aiSpeechToText } from "./ai/speech-to-text.ts";
import { aiStemSeparation } from "./ai/stem-separation.ts";
import { aiTextGeneration } from "./ai/text-generation.ts";
import { aiTextToSpeech } from "./ai/text-to-speech.ts";
import { aiUpscale } from "./ai/upscale.ts";
import { enumerateCsv } from "./enumerate/csv.ts";
import { enumerateDataRows } from "./enumerate/data-rows.ts";
import { enumerateJson } from "./enumerate/json.ts";
import { enumerateRange } from "./enumerate/range.ts";
import { imageCode } from "./image/code.ts";
import { imageCompose } from "./image/compose.ts";
import { imageConvert } from "./image/convert.ts";
import { imageResize } from "./image/resize.ts";
import { inputBatch } from "./input/batch.ts";
import { inputBoolean } from "./input/boolean.ts";
import { inputBundleManifest } from "./input/bundle-manifest.ts";
import { inputCsv } from "./input/csv.ts";
import { inputData } from "./input/data.ts";
import { inputJson } from "./input/json.ts";
import { inputJsonValue } from "./input/json-value.ts";
import { mediaInputs } from "./input/media.ts";
import { inputNumber } from "./input/number.ts";
import { inputText } from "./input/text.ts";
import { outputImage } from "./output/image.ts";
import { outputJson } from "./output/json.ts";
import { mediaOutputs } from "./output/media.ts";
import { outputText } from "./output/text.ts";
import { MEDIA_NODES } from "./media-nodes.ts";
import { RENDERER_NODES } from "./renderer-nodes.ts";
import { textTemplate } from "./text/template.ts";
import { utilityCalculate } from "./utility/calculate.ts";
import { utilityCondition } from "./utility/condition.ts";
import { utilityJsonPath } from "./utility/json-path.ts";
import { utilityJsonSchemaValidate } from "./utility/json-schema-validate.ts";
import { utilityMediaFromUrl } from "./utility/media-from-url.ts";
import { utilityMerge } from "./utility/merge.ts";
import { utilityQualityGate } from "./utility/quality-gate.ts";
import { utilitySwitch } from "./utility/switch.ts";
import { utilityToNumber } from "./utility/to-number.ts";

const ALL: readonly NodeType[] = [
  aggregateJson,
  aggregateText,
  ...IMAGE_VARIANT_NODES,
  aiRemoveBackground,
  aiSpeechToText,
  aiStemSeparation,
  aiTextGeneration,
  aiTextToSpeech,
  aiUpscale,
  enumerateCsv,
  enumerateDataRows,
  enumerateJson,
  enumerateRange,
  imageCode,
  imageCompose,
  imageConvert,
  imageResize,
  inputBatch,
  inputBoolean,
  inputBundleManifest,
  inputCsv,
  inputData,
  inputJson,
  inputJsonValue,
  ...mediaInputs,
  inputNumber,
  inputText,
  outputImage,
  outputJson,
  ...mediaOutputs,
  outputText,
  ...MEDIA_NODES,
  ...RENDERER_NODES,
  textTemplate,
  utilityCalculate,
  utilityCondition,
  utilityJsonPath,
  utilityJsonSchemaValidate,
  utilityMediaFromUrl,
  utilityMerge,
  utilityQualityGate,
  utilitySwitch,
  utilityToNumber,
];

/** All node types by type. A test compares this list with the folder. */
export const NODE_TYPES: readonly NodeType[] = ALL.toSorted((a, b) => (a.type < b.type ? -1 : 1));

/** The same, by type. */
export const NODES_BY_TYPE: ReadonlyMap<string, NodeType> = new Map(
  NODE_TYPES.map((node) => [node.type, node]),
);

/** Returns a node type by its `category/name`, undefined if there is none. */
export function findNodeType(type: string): NodeType | undefined {
  return NODES_BY_TYPE.get(type);
}

/** Every node type there is. A test compares this list with the folder. */
import { aggregateJson } from "./aggregate/json.ts";
import { aggregateText } from "./aggregate/text.ts";
import type { NodeType } from "./define-node.ts";
import { enumerateCsv } from "./enumerate/csv.ts";
import { enumerateDataRows } from "./enumerate/data-rows.ts";
import { enumerateJson } from "./enumerate/json.ts";
import { enumerateRange } from "./enumerate/range.ts";
import { imageCode } from "./image/code.ts";
import { inputAudio } from "./input/audio.ts";
import { inputBoolean } from "./input/boolean.ts";
import { inputBundleManifest } from "./input/bundle-manifest.ts";
import { inputCsv } from "./input/csv.ts";
import { inputData } from "./input/data.ts";
import { inputDocument } from "./input/document.ts";
import { inputImage } from "./input/image.ts";
import { inputJson } from "./input/json.ts";
import { inputJsonValue } from "./input/json-value.ts";
import { inputModel3d } from "./input/model3d.ts";
import { inputNumber } from "./input/number.ts";
import { inputText } from "./input/text.ts";
import { inputVideo } from "./input/video.ts";
import { outputAudio } from "./output/audio.ts";
import { outputDocument } from "./output/document.ts";
import { outputImage } from "./output/image.ts";
import { outputJson } from "./output/json.ts";
import { outputModel3d } from "./output/model3d.ts";
import { outputText } from "./output/text.ts";
import { outputVideo } from "./output/video.ts";
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

export const NODE_TYPES: readonly NodeType[] = [
  aggregateJson,
  aggregateText,
  enumerateCsv,
  enumerateDataRows,
  enumerateJson,
  enumerateRange,
  imageCode,
  inputAudio,
  inputBoolean,
  inputBundleManifest,
  inputCsv,
  inputData,
  inputDocument,
  inputImage,
  inputJson,
  inputJsonValue,
  inputModel3d,
  inputNumber,
  inputText,
  inputVideo,
  outputAudio,
  outputDocument,
  outputImage,
  outputJson,
  outputModel3d,
  outputText,
  outputVideo,
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

const byType: ReadonlyMap<string, NodeType> = new Map(NODE_TYPES.map((node) => [node.type, node]));

/** A node type by its `category/name`, undefined when there is none. */
export function findNodeType(type: string): NodeType | undefined {
  return byType.get(type);
}

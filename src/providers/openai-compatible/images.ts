/** `POST {base}/images/generations` and `/images/edits` of OpenAI-compatible servers. */
import type {
  ImageRequest,
  ModelPicture,
  ReferencedModel,
} from "../../contracts/models/model-calls.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { fetchPicture } from "../fetch-file.ts";
import { formBody, type FormPart } from "../form-body.ts";
import { readPicture } from "../picture-answer.ts";
import { sizeToRequest } from "../picture-size.ts";
import type { MakeImage } from "../provider.ts";
import { readPieces, requireSuccess } from "../read-answer.ts";
import { openImageJson } from "./image-json.ts";

/** A picture as base64, and the rest of the answer. */
const ANSWER_BYTES_MAX =
  Math.ceil(LIMITS.provider_picture.value / 3) * 4 + LIMITS.provider_json.value;

export const makeImage: MakeImage = async (model, request, io) => {
  const isEdit = request.images.length > 0;
  const { contentType, body } = isEdit
    ? formBody(editParts(model, request), io.key)
    : { contentType: "application/json", body: stringifyJson(imageFields(model, request)) };
  const response = await io.send(isEdit ? "/images/edits" : "/images/generations", {
    method: "POST",
    headers: {
      "content-type": contentType,
      accept: "application/json",
      "idempotency-key": io.key,
    },
    body,
    maxBytes: ANSWER_BYTES_MAX,
  });
  await requireSuccess(response, io);
  await io.holding(Infinity);
  const answer = await openImageJson(readPieces(response.body, io));
  return answer.kind === "bytes"
    ? await readPicture(answer.pieces)
    : await fetchPicture(answer.url, io);
};

/** The members of a request that both interfaces have. Pure. */
export function imageFields(
  { remote_model: model, sizes }: ReferencedModel,
  { prompt, size, parameters }: ImageRequest,
): { readonly [member: string]: JsonValue } {
  const { width, height } = sizeToRequest(sizes, size);
  return {
    ...parameters,
    model,
    prompt,
    n: 1,
    size: `${width}x${height}`,
    // Models of this family always answer with base64, and refuse the member.
    ...(!model.startsWith("gpt-image-") && { response_format: "b64_json" }),
  };
}

const EXTENSIONS = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" } as const;

/** The parts of an edit's form: one picture is `image`, several are `image[]`. Pure. */
export function editParts(model: ReferencedModel, request: ImageRequest): readonly FormPart[] {
  const { images } = request;
  const name = images.length === 1 ? "image" : "image[]";
  return [
    ...Object.entries(imageFields(model, request)).map(([field, value]) => ({
      name: field,
      value: typeof value === "string" ? value : stringifyJson(value),
    })),
    ...images.map(({ contentType, bytes }: ModelPicture, at) => ({
      name,
      fileName: `image-${at + 1}.${EXTENSIONS[contentType]}`,
      contentType,
      sizeBytes: bytes.length,
      bytes,
    })),
  ];
}

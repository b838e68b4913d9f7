/** Files that predictions of Replicate read: inside the input, or uploaded first with `POST /files`. */
import type { ModelPicture } from "../../contracts/models/model-calls.ts";
import { isJsonObject } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { badOutput } from "../call-failure.ts";
import { dataUri } from "../data-uri.ts";
import type { ProviderIo } from "../provider.ts";
import { readJsonAnswer } from "../read-answer.ts";

/** Larger files as part of an input are refused. */
const INLINE_BYTES_MAX = 256 * 1024;

/** A file as the input of a prediction names it. */
export async function inputFile(file: ModelPicture, io: ProviderIo): Promise<string> {
  if (file.bytes.length <= INLINE_BYTES_MAX) {
    return dataUri(file.contentType, file.bytes);
  }
  const form = new FormData();
  form.set(
    "content",
    new Blob([file.bytes as Uint8Array<ArrayBuffer>], { type: file.contentType }),
    `input.${file.contentType.slice("image/".length)}`,
  );
  const answer = await readJsonAnswer(
    await io.send("/files", {
      method: "POST",
      body: form,
      maxBytes: LIMITS.provider_json.value,
    }),
    io,
  );
  const urls = isJsonObject(answer) ? answer["urls"] : undefined;
  const address = isJsonObject(urls) ? urls["get"] : undefined;
  if (typeof address !== "string") {
    throw badOutput("its answer to an upload names no file");
  }
  return address;
}

import { LIMITS } from "../../lib/limits/limits-table.ts";
import { Base64Pieces } from "../base64-pieces.ts";
import { badOutput } from "../call-failure.ts";
import { readPicture } from "../picture-answer.ts";
import type { MakeImage } from "../provider.ts";
import { readPieces } from "../read-answer.ts";
import { memberOf } from "./member-of.ts";
import { runAi } from "./run-ai.ts";

/** The interface takes a prompt alone; its pictures have one size. */
export const makePicture: MakeImage = async (model, { prompt, parameters }, io) => {
  const inputs = { ...parameters, prompt };
  const output = await runAi(model, inputs, io, LIMITS.provider_picture.value);
  if (output.kind === "bytes") {
    return await readPicture(readPieces(output.body, io));
  }
  const image = memberOf(output.value, "image");
  if (typeof image !== "string") {
    throw badOutput("it has no picture");
  }
  return await readPicture(decoded(image));
};

const LETTERS = 64 * 1024;

// oxlint-disable-next-line typescript/require-await -- pictures of other providers arrive in pieces
async function* decoded(letters: string): AsyncGenerator<Uint8Array> {
  const base64 = new Base64Pieces();
  for (let at = 0; at < letters.length; at += LETTERS) {
    yield base64.add(letters.slice(at, at + LETTERS));
  }
  yield base64.end();
}

/** Predictions of Replicate: `POST /models/{owner}/{name}/predictions`, `GET /predictions/{id}`, `POST …/cancel`. */
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { badOutput, jobCancelled, jobFailed, refused } from "../call-failure.ts";
import { jsonBody } from "../json-body.ts";
import type { JobProvider } from "../provider.ts";
import { readJsonAnswer, requireSuccess } from "../read-answer.ts";

const JSON_BYTES_MAX = LIMITS.provider_json.value;

export const placesOfPrediction: JobProvider["placesOf"] = (_scope, id) => {
  const place = `/predictions/${encodeURIComponent(id)}` as const;
  return { status: place, result: place, cancel: `${place}/cancel` };
};

/** Without `Prefer: wait`, so that the id is known, and stored, while the prediction works. */
export const submitPrediction: JobProvider["submit"] = async (scope, input, io) => {
  const name = scope.remoteModel.split("/").map(encodeURIComponent).join("/");
  const response = await io.send(`/models/${name}/predictions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: jsonBody(input, "input"),
    maxBytes: JSON_BYTES_MAX,
  });
  const answer = await readJsonAnswer(response, io);
  const id = isJsonObject(answer) ? answer["id"] : undefined;
  if (!isJsonObject(answer) || typeof id !== "string") {
    throw badOutput("its body has no id of a job");
  }
  const { urls } = answer;
  const named = isJsonObject(urls) ? urls : {};
  const documented = placesOfPrediction(scope, id);
  const status = io.place(named["get"], documented.status);
  return { id, status, result: status, cancel: io.place(named["cancel"], documented.cancel) };
};

export const pollPrediction: JobProvider["poll"] = async (job, io) => {
  const answer = await readJsonAnswer(
    await io.sendTo(job.status, { method: "GET", maxBytes: JSON_BYTES_MAX }),
    io,
  );
  if (!isJsonObject(answer)) {
    throw badOutput("its body is not a prediction");
  }
  switch (answer["status"]) {
    case "starting":
    case "processing":
    case "queued":
      return undefined;
    case "succeeded":
      return answer["output"] ?? null;
    case "failed":
      throw isRefusal(answer["error"]) ? refused() : jobFailed();
    case "canceled":
    case "aborted":
      throw jobCancelled();
    default:
      throw badOutput("its prediction has no known status");
  }
};

export const cancelPrediction: JobProvider["cancel"] = async (job, io) => {
  const response = await io.sendTo(job.cancel, { method: "POST", maxBytes: JSON_BYTES_MAX });
  await requireSuccess(response, io);
  await response.body.cancel();
};

/** The words of the safety filters that the models have. */
function isRefusal(error: JsonValue | undefined): boolean {
  return typeof error === "string" && /NSFW|flagged|sensitive/i.test(error);
}

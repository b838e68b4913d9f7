/** Requests in the queue of fal: `POST /{model}`, `GET …/status`, `GET` of the response, `PUT …/cancel`. */
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { badOutput, jobCancelled, jobFailed, statusFailure } from "../call-failure.ts";
import { jsonBody } from "../json-body.ts";
import type { JobProvider } from "../provider.ts";
import { readJsonAnswer, requireSuccess } from "../read-answer.ts";

const JSON_BYTES_MAX = LIMITS.provider_json.value;
/** Of a request that its client cancelled. */
const CLIENT_CLOSED = 499;

/** Below the app, which is the first two segments of a model's name. */
export const placesOfRequest: JobProvider["placesOf"] = ({ remoteModel }, id) => {
  const app = pathOf(remoteModel.split("/").slice(0, 2));
  const result = `${app}/requests/${encodeURIComponent(id)}` as const;
  return { status: `${result}/status`, result, cancel: `${result}/cancel` };
};

export const submitRequest: JobProvider["submit"] = async (scope, input, io) => {
  const response = await io.send(pathOf(scope.remoteModel.split("/")), {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: jsonBody(input),
    maxBytes: JSON_BYTES_MAX,
  });
  const answer = await readJsonAnswer(response, io);
  const id = isJsonObject(answer) ? answer["request_id"] : undefined;
  if (!isJsonObject(answer) || typeof id !== "string") {
    throw badOutput("its body has no id of a job");
  }
  const documented = placesOfRequest(scope, id);
  return {
    id,
    status: io.place(answer["status_url"], documented.status),
    result: io.place(answer["response_url"], documented.result),
    cancel: io.place(answer["cancel_url"], documented.cancel),
  };
};

export const pollRequest: JobProvider["poll"] = async (job, io) => {
  const get = { method: "GET", maxBytes: JSON_BYTES_MAX } as const;
  const answer = await readJsonAnswer(await io.sendTo(job.status, get), io);
  switch (isJsonObject(answer) ? answer["status"] : undefined) {
    case "IN_QUEUE":
    case "IN_PROGRESS":
      return undefined;
    case "COMPLETED":
      return await readJsonAnswer(await io.sendTo(job.result, get), io, resultFailure);
    default:
      throw badOutput("its request has no known status");
  }
};

export const cancelRequest: JobProvider["cancel"] = async (job, io) => {
  const response = await io.sendTo(job.cancel, { method: "PUT", maxBytes: JSON_BYTES_MAX });
  await requireSuccess(response, io);
  await response.body.cancel();
};

/**
 * A request that has failed is completed, too; its response has the status of the failure. A 5xx that describes the
 * failure is final: fal repeats what may succeed by itself.
 */
function resultFailure(...[response, body, nowMs]: Parameters<typeof statusFailure>) {
  const { status } = response;
  if (status === CLIENT_CLOSED) {
    return jobCancelled();
  }
  return status >= 500 && isDescribed(body) ? jobFailed() : statusFailure(response, body, nowMs);
}

function isDescribed(body: JsonValue | undefined): boolean {
  return isJsonObject(body) && (Array.isArray(body["detail"]) || "error_type" in body);
}

function pathOf(segments: readonly string[]): `/${string}` {
  return `/${segments.map(encodeURIComponent).join("/")}`;
}

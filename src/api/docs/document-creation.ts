import type { ErrorCode } from "../../lib/errors/errors.ts";
import type { EndpointDeclaration } from "../endpoint-declaration.ts";

/** A route that supports `Idempotency-Key`, with the response header and the codes of keys; other routes unchanged. */
export function withCreationAnswers(endpoint: EndpointDeclaration): EndpointDeclaration {
  const { createsOnce = false, request, responses, errors, rawBody } = endpoint;
  if (createsOnce === false) {
    return endpoint;
  }
  const isRequired = createsOnce === "required";
  const codes: ErrorCode[] = [
    ...(isRequired ? (["missing_idempotency_key"] as const) : []),
    "invalid_idempotency_key",
    // A key covers the address and the body, so that without a body no two requests differ.
    ...(request.body === undefined && (isRequired || rawBody === undefined)
      ? []
      : (["idempotency_conflict"] as const)),
  ];
  const answered = Object.entries(responses).map(([status, spec]) => [
    status,
    {
      ...spec,
      headers: {
        ...spec.headers,
        "Idempotency-Replayed": "`true` when an earlier request with this key created it",
      },
    },
  ]);
  return {
    ...endpoint,
    responses: Object.fromEntries(answered) as EndpointDeclaration["responses"],
    errors: [...errors, ...codes],
  };
}

/**
 * Sends requests again that a closed connection never answered, as browsers do (`scripts/send-again.ts`). A killed
 * service refuses the second attempt too.
 */
import { isClosedConnection, isRepeatable, sendAgain } from "../../../scripts/send-again.ts";

const send = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const isStream = input instanceof Request || init?.body instanceof ReadableStream;
  return sendAgain(
    () => send(input, init),
    (error) =>
      !isStream &&
      (isClosedIdle(error) ||
        (isClosedConnection(error) && isRepeatable(init?.method, init?.headers))),
  );
};

/** The usual end of an idle connection. No service of the tests closes one that it has read a request from. */
function isClosedIdle(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message === "other side closed";
}

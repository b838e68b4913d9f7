import type { CallerContext } from "../../platform/context.ts";
import { openEvents } from "../executions/read/open-events.ts";
import { judgeEmbedToken } from "./judge-embed-token.ts";

/**
 * docs/contract/embeds.md#revocation: a stream ends within a second, of which an answer of the token's object may be 500 ms
 * old.
 */
const LOOK_EVERY_MS = 400;
/** Events that show no more than the interface declares. Comments and `retry` have no name. */
const SHOWN = /^event: (?:status|progress|output|done)$/m;
const NAMED = /^event: /m;

/**
 * The events of a run as its caller may see them; null if the caller has all of them. A runtime token sees no more than
 * the interface declares. The stream of an embed token ends as soon as the token is not valid any more: revoked, expired,
 * or of a revoked key. Throws the errors of `openEvents`.
 */
export async function openCallerEvents(
  ctx: CallerContext,
  runId: string,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array> | string | null> {
  const events = await openEvents(ctx, runId, lastEventId);
  const token = ctx.principal.embedToken;
  if (token === undefined || events === null || typeof events === "string") {
    return events;
  }
  const watch = {
    isOver: async () => (await judgeEmbedToken(ctx, token)).refusal !== undefined,
    wait: () => scheduler.wait(LOOK_EVERY_MS),
  };
  return token.kind === "runtime"
    ? watchedEvents(events, watch, isShown)
    : watchedEvents(events, watch, () => true);
}

/** Whether an event has no name, or one that a runtime token sees. */
export function isShown(event: string): boolean {
  return !NAMED.test(event) || SHOWN.test(event);
}

export interface Watch {
  readonly isOver: () => Promise<boolean>;
  /** Resolves when it is time to look again. */
  readonly wait: () => Promise<void>;
}

/** Leaves out events that are not shown, and ends when the watch says so. Bytes are UTF-8 of server-sent events. */
export function watchedEvents(
  events: ReadableStream<Uint8Array>,
  { isOver, wait }: Watch,
  shows: (event: string) => boolean,
): ReadableStream<Uint8Array> {
  const reader = events.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  let next: ReturnType<typeof reader.read> | undefined;
  let look: Promise<"look"> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          next ??= reader.read();
          look ??= wait().then(() => "look" as const);
          // The look first: a run that never stops telling must not outlive its token.
          const first = await Promise.race([look, next]);
          if (first === "look") {
            look = undefined;
            if (await isOver()) {
              await reader.cancel();
              controller.close();
              return;
            }
            continue;
          }
          next = undefined;
          if (first.done) {
            controller.close();
            return;
          }
          rest += decoder.decode(first.value, { stream: true });
          const end = rest.lastIndexOf("\n\n") + 2;
          const text = end < 2 ? "" : shown(rest.slice(0, end), shows);
          rest = end < 2 ? rest : rest.slice(end);
          if (text !== "") {
            controller.enqueue(encoder.encode(text));
            return;
          }
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function shown(text: string, shows: (event: string) => boolean): string {
  return text
    .split("\n\n")
    .filter((event) => event !== "" && shows(event))
    .map((event) => `${event}\n\n`)
    .join("");
}

/** The messages between the editor and the page that embeds it (docs/embeds.md#messages). */
import { PROTOCOL_VERSION, type Command, CommandRefused } from "../shared/protocol.ts";
import type { ChannelText } from "../shared/host-channel.ts";
import { openHostChannel } from "../shared/open-host-channel.ts";
import { run, type RunApi } from "./state/run.ts";
import { save } from "./state/save.ts";
import type { EditorStore, Host } from "./state/store.ts";

/** Types of the commands. */
const ACCEPTED = ["svc:editor:save", "svc:editor:run"] as const;

const TEXTS: Readonly<Record<ChannelText, string>> = {
  invalid_message: "The message cannot be read.",
  message_too_large: "The message has more than 1 MiB.",
  message_dropped: "More than 100 messages waited for the page; the oldest were dropped.",
  internal: "The command failed.",
};

export interface EditorHost extends Host {
  /** Posts that the editor is ready, and runs the commands that have waited. */
  ready(): void;
}

export function openHost({
  allowedOrigins,
  runApi,
  store,
}: {
  readonly allowedOrigins: readonly string[];
  readonly runApi: RunApi;
  /** Called only while a command runs. */
  readonly store: () => EditorStore;
}): EditorHost {
  const channel = openHostChannel({
    allowedOrigins,
    accepted: ACCEPTED,
    run: (command) => execute(store(), runApi, command),
    text: (key) => TEXTS[key],
  });
  return {
    post: (type, payload) => {
      channel.emit(type, payload);
    },
    ready: () => {
      channel.emit("svc:editor:ready", {
        version: PROTOCOL_VERSION,
        acceptedMessages: [...ACCEPTED],
      });
      channel.open();
    },
  };
}

/** Returns the value of the answer. A refused save has told the parent by an event of its own. */
async function execute(store: EditorStore, runApi: RunApi, command: Command): Promise<unknown> {
  const isSave = command.type === "svc:editor:save";
  const outcome = isSave ? await save(store, requestIdOf(command)) : await run(store, runApi);
  if (!outcome.ok) {
    throw new CommandRefused(outcome.code, outcome.message, { isTold: true });
  }
  return outcome.value;
}

/** Of the envelope, or of the payload as document 2 has it. */
function requestIdOf({ requestId, payload }: Command): string | undefined {
  if (requestId !== undefined || typeof payload !== "object" || payload === null) {
    return requestId;
  }
  const id = "requestId" in payload ? payload.requestId : undefined;
  return typeof id === "string" && id.length <= 64 ? id : undefined;
}

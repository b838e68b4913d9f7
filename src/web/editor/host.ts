/** The messages between the editor and the page that embeds it (docs/embeds.md#messages). */
import type { Theme } from "../widget/core/theme.ts";
import {
  PROTOCOL_VERSION,
  REQUEST_ID_CHARS_MAX,
  type Command,
  CommandRefused,
} from "../shared/protocol.ts";
import type { ChannelText } from "../shared/host-channel.ts";
import { openHostChannel } from "../shared/open-host-channel.ts";
import { createLook, type Look } from "./look.ts";
import { run, type RunApi, type RunOutcome } from "./state/run.ts";
import { save, type SaveOutcome } from "./state/save.ts";
import type { EditorStore, Host } from "./state/store.ts";
import type { WordKey, Words } from "./words.ts";

/** Types of the commands. */
const ACCEPTED = [
  "svc:editor:save",
  "svc:editor:run",
  "svc:editor:setTheme",
  "svc:editor:setCustomCss",
  "svc:setToken",
] as const;

const TEXTS: Readonly<Record<ChannelText, WordKey>> = {
  invalid_message: "messageInvalid",
  message_too_large: "messageTooLarge",
  message_dropped: "messageDropped",
  version_unsupported: "messageVersion",
  internal: "commandFailed",
};

export function openHost({
  allowedOrigins,
  runApi,
  root,
  theme,
  setToken,
  reload,
  words,
  store,
}: {
  readonly allowedOrigins: readonly string[];
  readonly runApi: RunApi;
  readonly root: HTMLElement;
  /** Of the query. */
  readonly theme: Theme;
  /** Returns false for a token that must not take the place of the page's own. */
  readonly setToken: (token: string) => boolean;
  /** Loads the document of an editor that could not load. */
  readonly reload: () => Promise<void>;
  readonly words: Words;
  /** Called only while a command runs. */
  readonly store: () => EditorStore;
}): Host {
  const channel = openHostChannel({
    allowedOrigins,
    accepted: ACCEPTED,
    run: (command) => {
      if (command.type === "svc:setToken") {
        const token = memberOf(command.payload, "token");
        if (typeof token !== "string" || !setToken(token)) {
          throw new CommandRefused("wrong_token", words("wrongToken"));
        }
        return channel.restart() ? reloaded() : undefined;
      }
      return execute(store(), runApi, look, command);
    },
    text: (key) => words(TEXTS[key], { version: PROTOCOL_VERSION }),
  });
  let refusal: CommandRefused | null = null;
  /** The refusal of a second failure has been told. */
  const reloaded = async () => {
    refusal = null;
    await reload();
    if (refusal !== null) {
      throw refusal;
    }
  };
  const look = createLook(root, theme, words, (code, message) => {
    channel.emit("svc:error", { code, message });
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
    fail: (code, message) => {
      refusal = new CommandRefused(code, message, { isTold: true });
      channel.fail(refusal);
    },
  };
}

/** Returns the value of the answer, at once where nothing is waited for. */
function execute(store: EditorStore, runApi: RunApi, look: Look, command: Command): unknown {
  switch (command.type) {
    case "svc:editor:setTheme":
      look.setTheme(command.payload);
      return undefined;
    case "svc:editor:setCustomCss":
      look.setCustomCss(command.payload);
      return undefined;
    case "svc:editor:save":
      return valueOf(save(store, requestIdOf(command)));
    default:
      return valueOf(run(store, runApi));
  }
}

/** A refused save has told the parent by an event of its own. */
async function valueOf(job: Promise<SaveOutcome | RunOutcome>): Promise<unknown> {
  const outcome = await job;
  if (!outcome.ok) {
    throw new CommandRefused(outcome.code, outcome.message, { isTold: true });
  }
  return outcome.value;
}

/** Of the envelope, or of the payload as older hosts have it. */
function requestIdOf({ requestId, payload }: Command): string | undefined {
  const id = requestId ?? memberOf(payload, "requestId");
  return typeof id === "string" && id.length <= REQUEST_ID_CHARS_MAX ? id : undefined;
}

function memberOf(payload: unknown, name: string): unknown {
  return typeof payload === "object" && payload !== null && Object.hasOwn(payload, name)
    ? (payload as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The page of an embedded workflow: `/embed/{workflow}/{interface}`. */
import "./widget.css";
import { openHostChannel } from "../shared/open-host-channel.ts";
import { type Command, CommandRefused, RUNTIME_COMMANDS } from "../shared/protocol.ts";
import { startPage } from "../shared/start-page.ts";
import { systemClock } from "./core/api.ts";
import type { EmbedConfig } from "./core/config.ts";
import { settingsOf } from "./core/settings.ts";
import { Widget } from "./core/widget.ts";
import { createEmbedApi } from "./embed-api.ts";
import { mountWidget } from "./view/mount.tsx";
import { createCssApplier } from "./view/root.ts";

// First of all: the token leaves the address.
const { token, query, allowedOrigins, locale, path, config } = startPage();
const settings = settingsOf(query, locale, path);
const dark = matchMedia("(prefers-color-scheme: dark)");
const emit = (type: string, payload: unknown): void => {
  channel.emit(type, payload);
};
const widget = new Widget(
  {
    // The page came with what its own token shows. The service wrote it, in the version of this page.
    apiFor: (bearer) =>
      createEmbedApi(
        bearer,
        settings.interfaceId,
        bearer === token && config !== null ? (JSON.parse(config) as EmbedConfig) : null,
      ),
    clock: systemClock,
    emit,
    newKey: () => crypto.randomUUID(),
    prefersDark: () => dark.matches,
    applyCss: createCssApplier(document),
  },
  settings,
  token,
);
const channel = openHostChannel({
  allowedOrigins,
  accepted: RUNTIME_COMMANDS,
  run: (command: Command) => {
    const value = widget.run(command);
    // The new token may be what the page lacked when it could not load.
    return command.type === "svc:setToken" && channel.restart() ? begin() : value;
  },
  text: (key) =>
    widget.language.texts.errors[
      key === "version_unsupported" ? "version_unsupported" : "invalid_message"
    ],
});
const mounted = mountWidget({ widget, container: document.body, emit, dark });

/** Loads the form. Throws `CommandRefused`, which the host has been told, if it cannot. */
async function begin(): Promise<void> {
  try {
    await widget.start();
  } catch (thrown) {
    if (!(thrown instanceof CommandRefused)) {
      throw thrown;
    }
    channel.fail(thrown);
    mounted.tellSize();
    throw new CommandRefused(thrown.code, thrown.message, { isTold: true });
  }
  const { workflow, interface: shown } = widget.store.state.config ?? {};
  document.title = shown?.name ?? workflow?.name ?? "";
  widget.ready();
  channel.open();
  mounted.tellSize();
}

begin().catch((thrown: unknown) => {
  if (!(thrown instanceof CommandRefused)) {
    throw thrown;
  }
});

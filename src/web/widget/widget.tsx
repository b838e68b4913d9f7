/** The page of an embedded workflow: `/embed/{workflow}/{interface}`. */
import "./widget.css";
import { openHostChannel } from "../shared/open-host-channel.ts";
import { type Command, CommandRefused, RUNTIME_COMMANDS } from "../shared/protocol.ts";
import { startPage } from "../shared/start-page.ts";
import { systemClock } from "./core/api.ts";
import { settingsOf } from "./core/settings.ts";
import { Widget } from "./core/widget.ts";
import { createEmbedApi } from "./embed-api.ts";
import { mountWidget } from "./view/mount.tsx";
import { createCssApplier } from "./view/root.ts";

// First of all: the token leaves the address.
const { token, query, allowedOrigins, locale, path } = startPage();
const settings = settingsOf(query, locale, path);
const dark = matchMedia("(prefers-color-scheme: dark)");
const emit = (type: string, payload: unknown): void => {
  channel.emit(type, payload);
};
const widget = new Widget(
  {
    apiFor: (bearer) => createEmbedApi(bearer, settings.interfaceId),
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
  run: (command: Command) => widget.run(command),
  text: (key) =>
    widget.language.texts.errors[
      key === "version_unsupported" ? "version_unsupported" : "invalid_message"
    ],
});
const mounted = mountWidget({ widget, container: document.body, emit, dark });

void (async () => {
  try {
    await widget.start();
  } catch (thrown) {
    if (!(thrown instanceof CommandRefused)) {
      throw thrown;
    }
    channel.fail(thrown);
    mounted.tellSize();
    return;
  }
  const { workflow, interface: shown } = widget.store.state.config ?? {};
  document.title = shown?.name ?? workflow?.name ?? "";
  widget.ready();
  channel.open();
  mounted.tellSize();
})();

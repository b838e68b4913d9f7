/**
 * The script of an error page (src/pages/embed/error-page.ts): tells the page that embeds it why nothing is shown, and answers
 * its commands with the same code.
 */
import "./error-page.css";
import { openHostChannel } from "./open-host-channel.ts";
import { CommandRefused, EDITOR_COMMANDS, RUNTIME_COMMANDS } from "./protocol.ts";
import { startPage } from "./start-page.ts";

const { query, allowedOrigins } = startPage();
const message = document.querySelector("[data-svc-message]")?.textContent ?? "";
const code = document.querySelector<HTMLMetaElement>('meta[name="svc-error"]')?.content ?? "";
if (query.primaryColor !== undefined) {
  document.documentElement.style.setProperty("--svc-primary", query.primaryColor);
}
const channel = openHostChannel({
  allowedOrigins,
  accepted: [...RUNTIME_COMMANDS, ...EDITOR_COMMANDS],
  // Never called: the channel refuses all commands of a page that has failed.
  run: () => undefined,
  text: () => message,
});
channel.fail(new CommandRefused(code, message));

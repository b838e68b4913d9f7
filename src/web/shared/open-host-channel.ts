import { HostChannel, type HostChannelOptions } from "./host-channel.ts";

/**
 * Listens to the page that embeds this one. Call it in the first task of the page's script: modules run before the
 * frame's `load`, so no message that follows it is lost. Opened outside a frame, the page has no parent and posts nothing.
 */
export function openHostChannel(
  options: Pick<HostChannelOptions, "accepted" | "run" | "text"> & {
    readonly allowedOrigins: readonly string[];
  },
): HostChannel {
  const parent = window.parent === window ? null : window.parent;
  const channel = new HostChannel({
    ...options,
    parent,
    origins: [...options.allowedOrigins, location.origin],
    post: (message) => {
      parent?.postMessage(message, "*");
    },
  });
  window.addEventListener("message", (event) => {
    channel.receive(event);
  });
  return channel;
}

/** Builders of commands that make a single request. */
import type { Command, Route } from "./command.ts";

/** Query parameters of a list. */
export const PAGE_QUERY = ["limit", "starting_after"];

/** Shows a resource. */
export const get = requestCommand({ method: "GET" });

/** Shows a resource of a run, now or at one of its events. */
export const getPast = requestCommand({ method: "GET", query: ["as_of_event"] });

/** Reads a resource that requires no token. */
export const open = requestCommand({ method: "GET", isPublic: true });

/** Changes a resource without a body. */
export const post = requestCommand({ method: "POST" });

function requestCommand(request: Pick<Route, "method" | "isPublic" | "query">) {
  return (
    words: string,
    args: string,
    about: string,
    operation: string,
    path: string,
  ): Command => ({ words, args, about, route: { operation, path, ...request } });
}

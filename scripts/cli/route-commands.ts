/** Builders of commands that make a single request. */
import type { Command } from "./command.ts";

/** Query parameters of a list. */
export const PAGE_QUERY = ["limit", "starting_after"];

/** Shows a resource. */
export function get(
  words: string,
  args: string,
  about: string,
  operation: string,
  path: string,
): Command {
  return { words, args, about, route: { operation, method: "GET", path } };
}

/** Reads a resource that requires no token. */
export function open(
  words: string,
  args: string,
  about: string,
  operation: string,
  path: string,
): Command {
  return { words, args, about, route: { operation, method: "GET", path, isPublic: true } };
}

/** Changes a resource without a body. */
export function post(
  words: string,
  args: string,
  about: string,
  operation: string,
  path: string,
): Command {
  return { words, args, about, route: { operation, method: "POST", path } };
}

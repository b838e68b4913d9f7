import { NodeError } from "../../lib/errors/node-error.ts";

/** What a model's provider has for a call. Throws NodeError if it, or the provider, is not there any more. */
export function served<T>(part: T | undefined): T {
  if (part === undefined) {
    throw new NodeError(
      "PROVIDER_UNAVAILABLE",
      "The model's provider was removed or switched off after the run had been submitted.",
    );
  }
  return part;
}

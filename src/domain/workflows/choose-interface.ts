import { AppError } from "../../lib/errors/errors.ts";
import { tryParseId } from "../../platform/ids.ts";

const SHOWN_CHARS_MAX = 80;

type Interfaces = readonly { readonly id?: string | undefined }[];

/**
 * The id of the interface that a caller named; unknown ids are returned as given. Ids are accepted with their prefix or
 * as bare UUIDs, like all ids (docs/contract/conventions.md#identifiers).
 */
export function chooseInterface(interfaces: Interfaces, given: string): string {
  if (interfaces.some(({ id }) => id === given)) {
    return given;
  }
  const parsed = tryParseId("interface", given);
  return parsed !== undefined && interfaces.some(({ id }) => id === parsed) ? parsed : given;
}

/** The `validation_error` for an interface that the workflow does not have. */
export function unknownInterface(interfaces: Interfaces, given: string): AppError {
  const ids = interfaces.map(({ id }) => JSON.stringify(id));
  const shown =
    given.length > SHOWN_CHARS_MAX ? `${given.slice(0, SHOWN_CHARS_MAX).toWellFormed()}…` : given;
  const message = `"${shown.toWellFormed()}" is not an interface of this workflow. ${
    ids.length === 0
      ? "It has none: leave `interface` out."
      : `Available: ${ids.join(", ")}; or leave \`interface\` out.`
  }`;
  return new AppError("validation_error", `interface: ${message}`, {
    errors: [{ field: "interface", message }],
  });
}

/** A run that is in memory only cannot go on without storage. It must begin again in its own object. */
export class MustBeStoredError extends Error {
  override readonly name = "MustBeStoredError";
}

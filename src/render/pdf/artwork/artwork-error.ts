/** Why a drawing does not print. */
export class ArtworkError extends Error {
  readonly reason: "unreadable" | "too_large" | "unsupported";

  constructor(reason: ArtworkError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

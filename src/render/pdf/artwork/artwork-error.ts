import type { SvgNode } from "./svg-node.ts";

/** Why a drawing does not print. */
export class ArtworkError extends Error {
  readonly reason: "unreadable" | "too_large" | "unsupported";
  /** The element that is the reason, where there is one. */
  readonly node: SvgNode | undefined;

  constructor(reason: ArtworkError["reason"], message: string, node?: SvgNode) {
    super(message);
    this.reason = reason;
    this.node = node;
  }
}

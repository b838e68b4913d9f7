import type { FontReference } from "../../contracts/files/font.ts";
import type { FontFace } from "./font-face.ts";

/** What a run of text asks for (docs/contract/templates.md#fonts). */
export interface FontRequest {
  /** Wins over the family. */
  readonly font: FontReference | undefined;
  readonly fontFamily: string;
  /** 100 to 900. */
  readonly fontWeight: number;
  readonly fontStyle: "normal" | "italic";
  readonly fallbackFonts: readonly string[];
}

/** Returns faces for requests. The same request always gets the same chain. */
export interface FontResolver {
  chainOf(request: FontRequest): FontChain;
}

/** The faces of one request, from the one asked for to the last fallback. Faces are asked for only as far as needed. */
export interface FontChain {
  /** The face of the request itself, or the one that stands in for an unknown family. */
  readonly first: FontFace;
  /** The name that was asked for and not found; undefined if the request was met. */
  readonly substituted: string | undefined;
  /** The first face that has all the code points; undefined if none has them. */
  faceFor(codePoints: readonly number[]): FontFace | undefined;
}

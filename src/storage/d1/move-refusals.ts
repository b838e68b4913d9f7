/** How a database refuses writes to an organization that moves (docs/decisions/moves.md): messages of its triggers. */
export const MOVE_REFUSALS = {
  /** The organization is being handed over: its home refuses writes for a moment. */
  fenced: "organization_fenced",
  /** The organization is at home on another shard, or is about to come to this one. */
  elsewhere: "organization_elsewhere",
} as const;

export type MoveRefusal = keyof typeof MOVE_REFUSALS;

/** A write is repeated for this long: the longest fence, and what the hand-over takes after it. */
export const MOVE_WAIT_MS = 10_000;

const PAUSE_MS = 10;

/** Why a move undid a transaction; undefined for any other error. */
export function refusalOf(error: unknown): MoveRefusal | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  return (["fenced", "elsewhere"] as const).find((refusal) =>
    error.message.includes(MOVE_REFUSALS[refusal]),
  );
}

/** The pause before the write is repeated: none if the directory may know another home. */
export async function pauseForMove(refusal: MoveRefusal, isAsked: boolean): Promise<void> {
  if (refusal === "fenced" || isAsked) {
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE_MS);
    });
  }
}

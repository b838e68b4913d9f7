import * as z from "zod";
import type { ErrorCode } from "../../lib/errors/errors.ts";
import { timestampField } from "../timestamp.ts";

export const OrganizationMove = z
  .object({
    organization: z.string().describe("Id of the organization, `org_…`."),
    from: z.int().describe("Number of the shard that it leaves; its home, if it never moved."),
    to: z.int().nullable().describe("Number of the shard that it goes to."),
    state: z
      .enum(["none", "copying", "catching_up", "fenced", "moved", "failed"])
      .describe("How far the last move is; `none` if there was none."),
    rows_copied: z.int().describe("Rows that the copy has written."),
    rows_total: z.int().describe("Rows that the organization had when the move began."),
    fenced_ms: z.int().nullable().describe("How long writes waited, once the organization moved."),
    started_at: timestampField.nullable().describe("When the move was accepted."),
    completed_at: timestampField.nullable().describe("When it ended, in either way."),
    error_message: z.string().nullable().describe("Why it failed."),
  })
  .meta({ id: "OrganizationMove" });
export type OrganizationMove = z.infer<typeof OrganizationMove>;

export interface MoveRefused {
  readonly code: Extract<ErrorCode, "validation_error" | "conflict">;
  readonly message: string;
}

/** The object of an organization that moves it, and the runner's entry point to it. */
export interface OrganizationMovesApi {
  /** Begins a move, unless it is refused. Throws the error of a home that cannot be asked. */
  start(request: {
    readonly v: 1;
    readonly organization_id: string;
    readonly shard: number;
  }): Promise<OrganizationMove | MoveRefused>;
  /** The last move, or none. */
  read(request: { readonly v: 1; readonly organization_id: string }): Promise<OrganizationMove>;
}

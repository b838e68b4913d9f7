import type { CallerContext } from "../../platform/context.ts";

/** A caller; references are looked up in its workspace. */
export type ReferenceContext = Pick<CallerContext, "env" | "principal">;

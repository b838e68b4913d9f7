import type { CreationKey } from "../../domain/idempotency/create-once.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readSchedule, setScheduleStatus } from "../../domain/schedules/change-schedule.ts";
import type { CallerContext } from "../../platform/context.ts";
import { replayHeaders } from "../replay-headers.ts";
import {
  CHANGE_SCHEDULES,
  SCHEDULE_ERRORS,
  SCHEDULE_PARAMS,
  SCHEDULE_RESPONSE,
  scheduleReply,
} from "./schedule-route.ts";

/** The common declaration of the routes that pause and resume; each adds its path and texts. */
export function statusChange(action: "pause" | "resume") {
  return {
    tag: "Schedules",
    access: CHANGE_SCHEDULES,
    createsOnce: true,
    request: { params: SCHEDULE_PARAMS },
    responses: { 200: SCHEDULE_RESPONSE },
    errors: SCHEDULE_ERRORS,
    handle: async (
      ctx: CallerContext,
      input: {
        readonly params: { readonly id: string };
        readonly creation: CreationKey | undefined;
      },
    ) => {
      const { id } = input.params;
      const { value, isReplay } = await createOnce(ctx, input.creation, {
        create: async (claim) => {
          const state = await setScheduleStatus(ctx, id, action);
          await claim?.settle(id, 200);
          return state;
        },
        replay: ({ resourceId }) => readSchedule(ctx, resourceId),
      });
      const reply = scheduleReply(value);
      const headers = { ...reply.headers, ...replayHeaders(isReplay) };
      return { status: 200 as const, ...reply, headers };
    },
  } as const;
}

import * as z from "zod";
import { timestampField } from "../timestamp.ts";

/** Response of `POST /api/v1/schedules/preview`. */
export const SchedulePreview = z
  .object({
    times: z
      .array(timestampField)
      .describe("The next nominal times, ascending; fewer than `count` if there are no more."),
  })
  .meta({ id: "SchedulePreview" });
export type SchedulePreview = z.infer<typeof SchedulePreview>;

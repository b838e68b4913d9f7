import * as z from "zod";
import { ERRORS, type ErrorCode } from "../lib/errors/errors.ts";

const ProblemFieldError = z.object({
  field: z
    .string()
    .describe("Location of the problem as a JSON path: `inputs.headline`, `nodes[3].type`."),
  message: z.string().describe("What is wrong and how to fix it, for people."),
  code: z.string().optional().describe("The code of a definition issue."),
  path: z.string().optional().describe("The same as `field`, for definition issues."),
  node_id: z.string().optional().describe("The node that has the issue, for definition issues."),
  suggestion: z.string().optional().describe("What to do about the issue, for people."),
});

/** The body of every error response (docs/contract/problems.md#format, RFC 7807). */
export const Problem = z
  .looseObject({
    type: z
      .string()
      .describe("Address of a page that explains the cause of this code and its fix."),
    title: z.string().describe("Short title of the HTTP status."),
    status: z.int().describe("The HTTP status."),
    detail: z.string().describe("For people; may change."),
    code: z
      .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
      .describe("For programs; branch on this."),
    instance: z.string().describe("Request path."),
    request_id: z.string().describe("Correlation id to quote to support."),
    errors: z
      .array(ProblemFieldError)
      .optional()
      .describe("Every problem of the request, at most 100."),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

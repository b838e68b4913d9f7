import type { ErrorCode } from "../../lib/errors/errors.ts";
import { READ_TEMPLATES, TEMPLATE_ERRORS, TEMPLATE_TAG } from "./template-route.ts";

const HEADERS = {
  "Design-Layout-Status": "`ok`, or `warnings` if anything was cut, left out or missing.",
  "Design-Page-Count": "Pages of the whole output.",
};

/** What both routes of direct renders declare. */
export const DIRECT_RENDER = {
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  isReadOnly: true,
  example: { values: { price: "€4.20" }, output: "pdf" },
  description:
    "Returns the PDF (`output` `pdf`) or the page image (`image`) by itself. For `pages`, `both` and with `include_report`, the body is `multipart/mixed`: the report, then the PDF, then a PNG for each page. Nothing is stored.",
} as const;

export const renderResponse = (more: Readonly<Record<string, string>> = {}) => ({
  200: {
    description:
      "`application/pdf`, `image/png`, or `multipart/mixed` with the report and the files",
    contentType: "application/octet-stream",
    headers: { ...HEADERS, ...more },
  },
});

export const RENDER_ERRORS: readonly ErrorCode[] = [
  ...TEMPLATE_ERRORS,
  "invalid_request",
  "invalid_argument",
  "design_page_selection_invalid",
  "render_failed",
  "render_too_large",
  "design_render_busy",
  "service_unavailable",
];

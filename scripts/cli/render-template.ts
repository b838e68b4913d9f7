import { required, textOf, UsageError } from "./arguments.ts";
import type { Given } from "./command.ts";
import { saveBytes } from "./file-commands.ts";
import { readTextFile } from "./read-json-file.ts";
import type { Session } from "./session.ts";

/** Renders a draft, or a revision with `--revision`: the PDF, or with `--page` the picture of one page. */
export async function renderTemplate(session: Session, { args, flags }: Given): Promise<unknown> {
  const id = encodeURIComponent(required(args[0], "ID"));
  const revision = textOf(flags, "revision");
  const page = textOf(flags, "page");
  const profile = textOf(flags, "color-profile");
  const source = revision === undefined ? "draft" : `versions/${encodeURIComponent(revision)}`;
  const options = JSON.stringify({
    ...(page !== undefined && { output: "image", page_selection: page }),
    missing_policy: textOf(flags, "missing-policy"),
    overflow_policy: textOf(flags, "overflow-policy"),
    ...(profile !== undefined && { pdf_export_mode: "pdfx4", color_profile_guid: profile }),
  });
  const response = await session.send("POST", `/api/v1/design-templates/${id}/${source}/render`, {
    headers: { "content-type": "application/json" },
    body: withValues(options, await valuesText(textOf(flags, "values"))),
  });
  const saved = await saveBytes(response, textOf(flags, "output"));
  return saved === undefined
    ? undefined
    : {
        ...saved,
        status: response.headers.get("design-layout-status"),
        page_count: Number(response.headers.get("design-page-count")),
      };
}

/** The text as it is, because numbers print with the digits that they have in the file. */
async function valuesText(file: string | undefined): Promise<string> {
  if (file === undefined) {
    return "{}";
  }
  const text = await readTextFile(file);
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
  return text;
}

function withValues(options: string, values: string): string {
  const members = options.slice(1, -1);
  return `{"values":${values}${members === "" ? "" : `,${members}`}}`;
}

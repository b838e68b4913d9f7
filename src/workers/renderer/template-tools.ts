import type {
  RenderFailure,
  RenderFailureCode,
  RenderRequest,
} from "../../contracts/templates/renderer.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { NodeErrorCode } from "../../lib/errors/node-error-guides.ts";
import type {
  CollectedRender,
  FieldValues,
  OneRender,
  StoredRender,
  TemplateRender,
  TemplateTools,
} from "../../nodes/define-template-tools.ts";
import type { RendererEnv } from "../../platform/env.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import type { TemplateScope } from "./document-tools.ts";
import { FailedRender } from "./failed-render.ts";
import type { AddedPdf, CollectedDocument } from "./render-collection.ts";
import { gateOf } from "./render-gate.ts";
import { readMerged } from "./read-merged.ts";
import { collect, render } from "./render-service.ts";
import type { PictureInputs } from "./resources/read-picture.ts";

const CODES: Readonly<Record<Exclude<RenderFailureCode, "failed" | "busy">, NodeErrorCode>> = {
  unavailable: "TEMPLATE_NOT_AVAILABLE",
  invalid_values: "INVALID_FIELD_VALUE",
  page_selection: "PAGE_SELECTION_INVALID",
  too_large: "RENDER_TOO_LARGE",
  color_profile: "COLOR_PROFILE_INVALID",
  timeout: "NODE_TIMEOUT",
};

/** Tools for the nodes that print templates. They wait for their turn instead of being refused. */
export function createTemplateTools(
  env: RendererEnv,
  scope: TemplateScope,
  files: TaskFiles,
): TemplateTools {
  return {
    render: (request) => renderOne(env, scope, files, request),
    collect: (request) => collectAll(env, scope, files, request),
  };
}

async function renderOne(
  env: RendererEnv,
  { workspaceId, executor, signal, task }: TemplateScope,
  files: TaskFiles,
  { values, output, isReferred, ...asked }: OneRender,
): Promise<StoredRender> {
  const write: TaskFiles["write"] = (...file) =>
    isReferred ? files.writeObject(...file) : files.write(...file);
  const stem = stemOf(asked.fileName);
  const { inputs, text } = written(values, files);
  const hasPdf = output === "pdf" || output === "both";
  const request: RenderRequest = {
    ...requestOf(workspaceId, asked),
    values: text,
    has_pdf: hasPdf,
    images: output === "pdf" ? "none" : output === "image" ? "first" : "all",
  };
  const made = await render(
    env,
    { request, inputs, onColors: task.countColors, onFetched: task.noteFetched },
    {
      streamsPdf: true,
      keepPdf: (pieces) => write(`${stem}.pdf`, "application/pdf", onePiece(pieces)),
      keepImage: (png, pageNumber) =>
        write(output === "image" ? `${stem}.png` : `${stem}-${pageNumber}.png`, "image/png", png),
      finish: ({ pageCount, report, pages, pdf }) => {
        if (output === "image" && pages.length !== 1) {
          throw new NodeError(
            "PAGE_SELECTION_INVALID",
            `An image shows one page, and page_selection selects ${pages.length}. Select one, or set output to pages.`,
          );
        }
        return {
          ok: true as const,
          pageCount,
          report,
          pages: pages.map(({ image, ...page }) => ({
            ...page,
            image: image && { file: image.kept, width: image.width, height: image.height },
          })),
          pdf,
        };
      },
    },
    signal,
    gateOf(executor, workspaceId),
  );
  if (!made.ok) {
    throw asNodeError(made);
  }
  return made;
}

async function collectAll(
  env: RendererEnv,
  { workspaceId, executor, signal, task }: TemplateScope,
  files: TaskFiles,
  { documents, intro, outro, ...asked }: CollectedRender,
): ReturnType<TemplateTools["collect"]> {
  const elements = documents[Symbol.asyncIterator]();
  let next = await elements.next();
  if (next.done === true && intro === undefined && outro === undefined) {
    return { document: undefined, count: 0 };
  }
  let count = 0;
  async function* collected(): AsyncGenerator<CollectedDocument> {
    for (; next.done !== true; next = await elements.next()) {
      const { text, inputs } = written(next.value, files);
      yield { values: text, inputs };
      count += 1;
    }
  }
  try {
    const document = await collect(
      env,
      {
        request: requestOf(workspaceId, asked),
        documents: collected(),
        intro: addedPdf("introPdf", intro, files),
        outro: addedPdf("outroPdf", outro, files),
        onColors: task.countColors,
        onFetched: task.noteFetched,
      },
      (pieces) => files.writePdf(`${stemOf(asked.fileName)}.pdf`, pieces),
      signal,
      gateOf(executor, workspaceId),
    );
    return { document, count };
  } catch (error) {
    throw error instanceof FailedRender ? asNodeError(error.failure) : error;
  }
}

/** The only piece of a small file, which is stored without the steps of a stream. */
function onePiece<T>(pieces: T): T | Uint8Array {
  const [only, second]: readonly unknown[] = Array.isArray(pieces) ? pieces : [];
  return only instanceof Uint8Array && second === undefined ? only : pieces;
}

function addedPdf(port: string, file: FileRef | undefined, files: TaskFiles): AddedPdf | undefined {
  return file && { read: () => readMerged(file, `${port} ("${file.name}")`, files) };
}

/** Without values; a PDF only. */
function requestOf(
  workspaceId: string,
  { template, options }: Omit<TemplateRender, "fileName">,
): RenderRequest {
  return {
    v: 1,
    workspace_id: workspaceId,
    template: {
      template_id: template.template_id,
      revision: template.revision,
      version_id: template.version_id,
      content_hash: template.content_hash,
      changed_at_ms: template.changed_at_ms,
      font_pins: template.font_pins,
      document: { key: template.document_key },
    },
    values: "{}",
    unknown_values: "ignore",
    options,
    has_pdf: true,
    images: "none",
    may_queue: true,
  };
}

/** The values as JSON. A file has a source of its own, the same for the same bytes where its digest is known. */
function written(
  values: FieldValues,
  files: TaskFiles,
): { readonly text: string; readonly inputs: PictureInputs } {
  const inputs = new Map<string, { sizeBytes: number; read: () => Promise<Uint8Array> }>();
  const entries = [...values].map(([code, value]): [string, JsonValue] => {
    if (!(value instanceof FileRef)) {
      return [code, value];
    }
    const source = `input:${value.sha256 ?? value.key}`;
    inputs.set(source, { sizeBytes: value.sizeBytes, read: () => files.read(value) });
    return [code, source];
  });
  return { text: stringifyJson(Object.fromEntries(entries)), inputs };
}

/** The name without `.pdf`. */
function stemOf(fileName: string): string {
  const stem = fileName.replace(/\.pdf$/i, "");
  return stem === "" ? "document" : stem;
}

function asNodeError({ code, message, errors, may_retry: retryable }: RenderFailure): NodeError {
  if (code === "busy") {
    throw new Error("A render that may wait was refused.");
  }
  const [first] = errors;
  const reason = code === "failed" && first !== undefined ? first.code : undefined;
  if (reason === undefined || reason === "UNKNOWN_FIELD") {
    return new NodeError(code === "failed" ? "INTERNAL_NODE_ERROR" : CODES[code], message);
  }
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new NodeError(reason, `${message}${more}`, { retryable });
}

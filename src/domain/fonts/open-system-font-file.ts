import type { Env } from "../../platform/env.ts";
import type { SystemFontFile } from "./system-family.ts";

/**
 * The bytes of a system font, as a stream of `sizeBytes`. They are static assets of the deployment,
 * read through the binding only: no address of their own leads to them. Throws when the deployment
 * does not have them, which is a defect of it.
 */
export async function openSystemFontFile(
  env: Pick<Env, "ASSETS">,
  file: SystemFontFile,
): Promise<ReadableStream<Uint8Array>> {
  // The host of an assets binding means nothing; the path is the file.
  const found = await env.ASSETS?.fetch(`http://assets/${file.asset}`);
  if (found?.ok !== true || found.body === null) {
    await found?.body?.cancel();
    throw new Error(
      `The system font ${file.asset} is not among the deployment's assets: build them (npm run build:assets) and deploy again.`,
    );
  }
  return found.body;
}

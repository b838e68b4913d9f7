import type { Env } from "./env.ts";

/**
 * Reads JSON that `scripts/build-assets.ts` writes into the deployment's assets: texts that only pages and documents
 * show, which would otherwise be loaded at each start of the Worker. `T` is the type that the script writes. Throws if
 * the deployment does not have the file, which is a defect of the deployment.
 */
export async function readBuiltJson<T>(env: Pick<Env, "ASSETS">, name: string): Promise<T> {
  // The host of an assets binding is ignored; the path selects the file.
  const found = await env.ASSETS?.fetch(`http://assets/built/${name}`);
  if (found?.ok !== true) {
    await found?.body?.cancel();
    throw new Error(
      `built/${name} is not among the deployment's assets: build them (npm run build:assets) and deploy again.`,
    );
  }
  return found.json();
}

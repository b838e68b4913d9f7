import type { Env } from "./env.ts";

/**
 * Reads JSON that `scripts/build-assets.ts` writes into the deployment's assets: texts that only pages and documents
 * show, which would otherwise be loaded at each start of the Worker. `T` is the type that the script writes. Throws if
 * the deployment does not have the file, which is a defect of the deployment.
 */
export async function readBuiltJson<T>(env: Pick<Env, "ASSETS">, name: string): Promise<T> {
  const found = await findBuiltJson<T>(env, name);
  if (found === undefined) {
    throw new Error(
      `built/${name} is not among the deployment's assets: build them (npm run build:assets) and deploy again.`,
    );
  }
  return found;
}

/** The same of a file that may be absent. `name` has no `/../`. */
export async function findBuiltJson<T>(
  env: Pick<Env, "ASSETS">,
  name: string,
): Promise<T | undefined> {
  // The host of an assets binding is ignored; the path selects the file.
  const found = await env.ASSETS?.fetch(`http://assets/built/${name}`);
  if (found?.ok !== true) {
    await found?.body?.cancel();
    return undefined;
  }
  return found.json();
}

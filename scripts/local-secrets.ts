/** Secrets of the local service: created once, kept in the data folder, readable by their owner only. */
import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface LocalSecrets {
  readonly jwt_secret: string;
  readonly admin_token: string;
  /** Encrypts providers' keys; base64 of 32 bytes. */
  readonly provider_keys_secret: string;
}

type FirstSecrets = Pick<LocalSecrets, "jwt_secret" | "admin_token">;

/** Reads `secrets.json` of a data folder, or creates it. */
export async function loadSecrets(directory: string): Promise<LocalSecrets> {
  const path = join(directory, "secrets.json");
  const known = await readTextMembers<Partial<LocalSecrets> & FirstSecrets>(
    path,
    ["jwt_secret", "admin_token"],
    "Restore it from a backup, or delete it: the next start creates new secrets, and existing tokens and signed addresses become invalid.",
  );
  if (known?.provider_keys_secret !== undefined) {
    return { ...known, provider_keys_secret: known.provider_keys_secret };
  }
  const made = {
    jwt_secret: randomBytes(48).toString("base64url"),
    admin_token: randomBytes(32).toString("base64url"),
    // A folder of an earlier release has the other two.
    ...known,
    provider_keys_secret: randomBytes(32).toString("base64"),
  };
  await writePrivateJson(path, made);
  return made;
}

/** Returns the parsed file, undefined if it does not exist. Throws an error with the file's name if it is not JSON. */
export async function readJsonFile<T>(path: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Error(`${path} is damaged: it is not JSON.`);
  }
}

/**
 * Returns a file of texts by name, undefined if it does not exist. If it is not JSON or a name is missing, throws an
 * error with the file's name and `advice`.
 */
export async function readTextMembers<T extends object>(
  path: string,
  names: readonly (keyof T & string)[],
  advice: string,
): Promise<T | undefined> {
  let found: Readonly<Record<string, unknown>> | null | undefined;
  try {
    found = await readJsonFile(path);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} ${advice}`);
  }
  if (found === undefined) {
    return undefined;
  }
  const missing = names.filter((name) => typeof found?.[name] !== "string" || found[name] === "");
  if (missing.length > 0) {
    throw new Error(`${path} is damaged: ${missing.join(", ")} is missing. ${advice}`);
  }
  return found as T;
}

/** Writes the file with mode 0600, atomically. */
export async function writePrivateJson(path: string, value: unknown): Promise<void> {
  const staging = `${path}.${process.pid}.tmp`;
  await writeFile(staging, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(staging, path);
}

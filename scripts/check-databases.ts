/** Compares the databases of the Workers that one deployment consists of (docs/deploy.md#another-shard). */
import { readFile } from "node:fs/promises";
import { parse } from "smol-toml";

interface Config {
  readonly d1_databases?: readonly { readonly binding: string; readonly database_id?: string }[];
}

/**
 * What differs between the databases of wrangler files: each must have the `DB` and `DB_n` bindings of the first, with
 * the same ids. `texts` has the text of each file by its path. Throws if one is not TOML.
 */
export function compareDatabases(texts: Readonly<Record<string, string>>): string[] {
  const [first, ...others] = Object.entries(texts).map(
    ([path, text]) => [path, databasesIn(text)] as const,
  );
  if (first === undefined) {
    return [];
  }
  const [firstPath, expected] = first;
  return others.flatMap(([path, databases]) =>
    [...new Set([...expected.keys(), ...databases.keys()])].flatMap((binding) => {
      const [here, there] = [databases.get(binding), expected.get(binding)];
      return here === there
        ? []
        : [
            `${path} has ${describe(binding, here)}, and ${firstPath} has ${describe(binding, there)}. All Workers need the same databases.`,
          ];
    }),
  );
}

/** Compares wrangler files. Throws if one cannot be read. */
export async function checkDatabases(paths: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readFile(path, "utf8")] as const),
  );
  return compareDatabases(Object.fromEntries(texts));
}

function databasesIn(text: string): ReadonlyMap<string, string> {
  const { d1_databases: databases = [] } = parse(text) as Config;
  return new Map(
    databases
      .filter(({ binding }) => /^DB(_\d+)?$/.test(binding))
      .map(({ binding, database_id: id = "" }) => [binding, id]),
  );
}

function describe(binding: string, id: string | undefined): string {
  return id === undefined ? `no ${binding}` : `${binding} with the id "${id}"`;
}

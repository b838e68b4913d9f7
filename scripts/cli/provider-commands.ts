/** Commands for the providers of models, of the system or with `--workspace` of a workspace, and for a workspace's defaults. */
import type * as z from "zod";
import type { PutModelDefault } from "../../src/contracts/models/model-default.ts";
import { required, textOf } from "./arguments.ts";
import type { Command, Given } from "./command.ts";
import { readJsonFile } from "./read-json-file.ts";

const WORKSPACE = { workspace: { type: "string", value: "ID" } } as const;
const COLUMNS = ["id", "kind", "scope", "enabled", "has_api_key", "base_url"];
const as = "operator" as const;

export const PROVIDER_COMMANDS: readonly Command[] = [
  {
    words: "providers add",
    args: "ID FILE",
    about: "Create a provider of models, or replace its settings, from a JSON file",
    operations: ["putSystemProvider", "putWorkspaceProvider"],
    flags: WORKSPACE,
    run: async (session, given) =>
      session.call("PUT", pathTo(given, idOf(given)), {
        as,
        json: await readJsonFile(required(given.args[1], "FILE")),
      }),
  },
  {
    words: "providers list",
    about: "List the providers of models",
    columns: COLUMNS,
    operations: ["listSystemProviders", "listWorkspaceProviders"],
    flags: { ...WORKSPACE, limit: { type: "string" }, "starting-after": { type: "string" } },
    run: (session, given) => session.call("GET", pathTo(given) + pageOf(given), { as }),
  },
  {
    words: "providers get",
    args: "ID",
    about: "Show a provider of models; its key is never shown",
    operations: ["getSystemProvider", "getWorkspaceProvider"],
    flags: WORKSPACE,
    run: (session, given) => session.call("GET", pathTo(given, idOf(given)), { as }),
  },
  {
    words: "providers remove",
    args: "ID",
    about: "Delete a provider of models with its key",
    operations: ["deleteSystemProvider", "deleteWorkspaceProvider"],
    flags: WORKSPACE,
    run: (session, given) => session.call("DELETE", pathTo(given, idOf(given)), { as }),
  },
  {
    words: "providers check",
    args: "ID",
    about: "Ask a provider of models something that costs nothing",
    operations: ["checkSystemProvider", "checkWorkspaceProvider"],
    flags: WORKSPACE,
    run: (session, given) => session.call("POST", pathTo(given, `${idOf(given)}/check`), { as }),
  },
  {
    words: "models default set",
    args: "CAPABILITY MODEL",
    about: "Choose a workspace's default model of a capability",
    operations: ["putModelDefault"],
    flags: WORKSPACE,
    run: (session, given) =>
      session.call("PUT", defaultPath(given, given.args[0]), {
        as,
        json: { model: required(given.args[1], "MODEL") } satisfies z.input<typeof PutModelDefault>,
      }),
  },
  {
    words: "models default list",
    about: "List a workspace's own default models",
    columns: ["capability", "model"],
    operations: ["listModelDefaults"],
    flags: { ...WORKSPACE, limit: { type: "string" }, "starting-after": { type: "string" } },
    run: (session, given) => session.call("GET", defaultsPath(given) + pageOf(given), { as }),
  },
  {
    words: "models default remove",
    args: "CAPABILITY",
    about: "Return to the system's default model of a capability",
    operations: ["deleteModelDefault"],
    flags: WORKSPACE,
    run: (session, given) => session.call("DELETE", defaultPath(given, given.args[0]), { as }),
  },
];

function defaultPath(given: Given, capability: string | undefined): string {
  return `${defaultsPath(given)}/${encodeURIComponent(required(capability, "CAPABILITY"))}`;
}

function defaultsPath({ flags }: Given): string {
  const workspace = required(textOf(flags, "workspace"), "--workspace");
  return `/admin/v1/workspaces/${encodeURIComponent(workspace)}/model-defaults`;
}

function idOf({ args }: Given): string {
  return `/${encodeURIComponent(required(args[0], "ID"))}`;
}

function pathTo({ flags }: Given, id = ""): string {
  const workspace = textOf(flags, "workspace");
  const scope = workspace === undefined ? "" : `/workspaces/${encodeURIComponent(workspace)}`;
  return `/admin/v1${scope}/providers${id}`;
}

function pageOf({ flags }: Given): string {
  const query = new URLSearchParams();
  for (const name of ["limit", "starting-after"]) {
    const value = textOf(flags, name);
    if (value !== undefined) {
      query.set(name.replace("-", "_"), value);
    }
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

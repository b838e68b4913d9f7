#!/usr/bin/env node
// The command line of the operator API and the public API. Plain JavaScript for Node 20 and later.
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const USAGE = `Usage: edgeloom <command> [options]

  token                                   print an access token
  orgs create --name NAME [--plan CODE]
  workspaces create --org ID --name NAME
  workspaces plan ID CODE                 put a workspace on a plan
  keys create --workspace ID --name NAME [--scopes a,b] [--permissions a,b] [--expires TIME] [--agent]
  keys revoke ID
  plans put CODE FILE                     limits as a JSON file, - for stdin
  plan                                    the workspace's plan, its limits and what of them is used
  credits grant --workspace ID --milli N --key KEY
  ledger WORKSPACE [--limit N] [--after CURSOR]
  workflows list [--status S] [--tag T] [--limit N] [--after CURSOR]
  workflows get ID [--version N]
  workflows create FILE                   a body of POST /api/v1/workflows
  workflows publish ID
  workflows estimate ID [--input KEY=TEXT]… [--json KEY=JSON]… [--body FILE]
  run submit WORKFLOW [--input KEY=TEXT]… [--json KEY=JSON]… [--asset KEY=PATH]… [--body FILE]
             [--version N] [--interface ID] [--idempotency-key KEY] [--watch]
  run get ID
  run result ID
  run cancel ID
  run watch ID                            poll until the run has finished; exit code 1 unless it completed

Options
  --credentials FILE   default .edgeloom/credentials.json, or EDGELOOM_CREDENTIALS
  --base-url URL       default: base_url of the credentials
Answers are printed as JSON, problems on stderr with exit code 1.`;

const TERMINAL = new Set(["completed", "partial_success", "failed", "cancelled"]);
/** A token is renewed while it still has this long to live. */
const TOKEN_SLACK_MS = 60_000;
const POLL_MIN_MS = 250;
const POLL_MAX_MS = 3000;

/** What the caller typed wrong; shown with the usage. */
class UsageError extends Error {}

/** An answer that is not 2xx. */
class ProblemError extends Error {
  constructor(status, problem) {
    super(`HTTP ${status}`);
    this.problem = problem;
  }
}

const OPTIONS = {
  credentials: { type: "string" },
  "base-url": { type: "string" },
  name: { type: "string" },
  plan: { type: "string" },
  org: { type: "string" },
  workspace: { type: "string" },
  scopes: { type: "string" },
  permissions: { type: "string" },
  expires: { type: "string" },
  agent: { type: "boolean" },
  status: { type: "string" },
  tag: { type: "string" },
  limit: { type: "string" },
  after: { type: "string" },
  milli: { type: "string" },
  key: { type: "string" },
  version: { type: "string" },
  interface: { type: "string" },
  input: { type: "string", multiple: true },
  json: { type: "string", multiple: true },
  asset: { type: "string", multiple: true },
  body: { type: "string" },
  "idempotency-key": { type: "string" },
  watch: { type: "boolean" },
  help: { type: "boolean", short: "h" },
};

const COMMANDS = {
  token: async (api) => console.log(await api.token()),
  "orgs create": (api, _args, o) =>
    api.admin("POST", "organizations", defined({ name: need(o, "name"), plan: o.plan })),
  "workspaces create": (api, _args, o) =>
    api.admin("POST", "workspaces", { organization_id: need(o, "org"), name: need(o, "name") }),
  "workspaces plan": (api, [id, plan]) =>
    api.admin("PUT", `workspaces/${segment(id, "ID")}/plan`, { plan: given(plan, "CODE") }),
  "keys create": (api, _args, o) =>
    api.admin(
      "POST",
      "api-keys",
      defined({
        workspace_id: need(o, "workspace"),
        name: need(o, "name"),
        scopes: o.scopes?.split(","),
        permissions: o.permissions?.split(","),
        expires_at: o.expires,
        is_agent: o.agent,
      }),
    ),
  "keys revoke": (api, [id]) => api.admin("DELETE", `api-keys/${segment(id, "ID")}`),
  "plans put": async (api, [code, file]) =>
    api.admin("PUT", `plans/${segment(code, "CODE")}`, { limits: await readJson(file) }),
  plan: (api) => api.call("GET", "/api/v1/plan"),
  "credits grant": (api, _args, o) =>
    api.admin("POST", "credit-grants", {
      workspace_id: need(o, "workspace"),
      milli_credits: Number(need(o, "milli")),
      idempotency_key: need(o, "key"),
    }),
  ledger: (api, [id], o) =>
    api.admin(
      "GET",
      `workspaces/${segment(id, "WORKSPACE")}/ledger${query({ limit: o.limit, starting_after: o.after })}`,
    ),
  "workflows list": (api, _args, o) =>
    api.call(
      "GET",
      `/api/v1/workflows${query({ status: o.status, tag: o.tag, limit: o.limit, starting_after: o.after })}`,
    ),
  "workflows get": (api, [id], o) =>
    api.call("GET", `/api/v1/workflows/${segment(id, "ID")}${query({ version: o.version })}`),
  "workflows create": async (api, [file]) =>
    api.call("POST", "/api/v1/workflows", await readJson(file)),
  "workflows publish": (api, [id]) =>
    api.call("POST", `/api/v1/workflows/${segment(id, "ID")}/publish`),
  "workflows estimate": async (api, [id], o) => {
    const { workflow, ...body } = await submitBody(id, o);
    return api.call("POST", `/api/v1/workflows/${segment(workflow, "ID")}/estimate`, body);
  },
  "run submit": submit,
  "run get": (api, [id]) => api.call("GET", `/api/v1/executions/${segment(id, "ID")}`),
  "run result": (api, [id]) => api.call("GET", `/api/v1/executions/${segment(id, "ID")}/result`),
  "run cancel": (api, [id]) => api.call("POST", `/api/v1/executions/${segment(id, "ID")}/cancel`),
  "run watch": (api, [id]) => watch(api, given(id, "ID")),
};

async function submit(api, [workflow], o) {
  const body = await submitBody(workflow, o);
  const headers = defined({ "idempotency-key": o["idempotency-key"] });
  const run = await api.call("POST", "/api/v1/executions", body, headers);
  return o.watch ? watch(api, run.id) : run;
}

async function submitBody(workflow, o) {
  const body = o.body === undefined ? {} : await readJson(o.body);
  body.workflow = workflow ?? body.workflow ?? given(undefined, "WORKFLOW");
  const inputs = new Map(Object.entries(body.inputs ?? {}));
  // Spec 1 §2.4: a value is JSON carried as a string.
  for (const [key, text] of pairs(o.input)) {
    inputs.set(key, { value: JSON.stringify(text) });
  }
  for (const [key, json] of pairs(o.json)) {
    inputs.set(key, { value: json });
  }
  for (const [key, path] of pairs(o.asset)) {
    inputs.set(key, { asset_path: path });
  }
  body.inputs = Object.fromEntries(inputs);
  if (o.version !== undefined) {
    body.version = Number(o.version);
  }
  if (o.interface !== undefined) {
    body.interface = o.interface;
  }
  return body;
}

async function watch(api, id) {
  const path = `/api/v1/executions/${segment(id, "ID")}`;
  let shown = "";
  for (let waitMs = POLL_MIN_MS; ; waitMs = Math.min(waitMs * 1.5, POLL_MAX_MS)) {
    const run = await api.call("GET", path);
    const line = `${run.status} ${run.progress} % ${run.progress_message ?? ""}`.trimEnd();
    if (line !== shown) {
      console.error(line);
      shown = line;
    }
    if (TERMINAL.has(run.status)) {
      process.exitCode = run.status === "completed" ? 0 : 1;
      return run;
    }
    await sleep(waitMs);
  }
}

function createApi(credentials, credentialsPath) {
  const baseUrl = credentials.base_url;
  const tokenPath = join(dirname(credentialsPath), "cli-token.json");

  async function send(method, path, headers, body) {
    const hasBody = body !== undefined;
    const answer = await fetch(new URL(path, baseUrl), {
      method,
      headers: { ...headers, ...(hasBody && { "content-type": "application/json" }) },
      ...(hasBody && { body: JSON.stringify(body) }),
    });
    return readAnswer(answer);
  }

  /** Kept between calls, as the token endpoint asks (spec 1 §5.3). */
  async function token() {
    const known = await readJson(tokenPath).catch(() => undefined);
    const isMine = known?.client_id === credentials.client_id && known.base_url === baseUrl;
    if (isMine && known.expires_at_ms > Date.now() + TOKEN_SLACK_MS) {
      return known.access_token;
    }
    const pair = `${must(credentials, "client_id")}:${must(credentials, "client_secret")}`;
    const made = await readAnswer(
      await fetch(new URL("/api/v1/auth/token", baseUrl), {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
      }),
    );
    await writePrivate(tokenPath, {
      base_url: baseUrl,
      client_id: credentials.client_id,
      access_token: made.access_token,
      expires_at_ms: Date.now() + made.expires_in * 1000,
    });
    return made.access_token;
  }

  return {
    token,
    call: async (method, path, body, headers = {}) => {
      const attempt = async () =>
        send(method, path, { authorization: `Bearer ${await token()}`, ...headers }, body);
      try {
        return await attempt();
      } catch (error) {
        if (error.problem?.code !== "unauthorized") {
          throw error;
        }
        // The kept token belongs to a service that was set up anew since.
        await rm(tokenPath, { force: true });
        return attempt();
      }
    },
    admin: (method, path, body) => {
      const bearer = { authorization: `Bearer ${must(credentials, "admin_token")}` };
      return send(method, `/admin/v1/${path}`, bearer, body);
    },
  };
}

async function readAnswer(answer) {
  const text = await answer.text();
  let body;
  try {
    body = text === "" ? undefined : JSON.parse(text);
  } catch {
    body = text;
  }
  if (!answer.ok) {
    throw new ProblemError(answer.status, body ?? { status: answer.status });
  }
  return body;
}

async function loadCredentials(path, options) {
  let credentials = {};
  try {
    credentials = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") {
      throw new UsageError(`${path} cannot be read: ${error.message}`);
    }
  }
  const environment = defined({
    base_url: options["base-url"] ?? process.env.EDGELOOM_BASE_URL,
    client_id: process.env.EDGELOOM_CLIENT_ID,
    client_secret: process.env.EDGELOOM_CLIENT_SECRET,
    admin_token: process.env.EDGELOOM_ADMIN_TOKEN,
  });
  const merged = { ...credentials, ...environment };
  if (merged.base_url === undefined) {
    throw new UsageError(
      `There is no ${path}. Start the service with npm run dev, or name a file with --credentials.`,
    );
  }
  return merged;
}

/** Mode 0600 from the first byte, and never half a file. A folder that cannot be written to costs the cache only. */
async function writePrivate(path, value) {
  const staging = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(staging, JSON.stringify(value), { mode: 0o600 });
    await chmod(staging, 0o600);
    await rename(staging, path);
  } catch {
    // The next call asks for a token again.
  }
}

async function readJson(file) {
  const text = given(file, "FILE") === "-" ? await readStdin() : await readFile(file, "utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error.message}`);
  }
}

async function readStdin() {
  const chunks = [];
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function pairs(list = []) {
  return list.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) {
      throw new UsageError(`"${pair}" is not KEY=VALUE.`);
    }
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

function need(options, name) {
  if (options[name] === undefined) {
    throw new UsageError(`--${name} is missing.`);
  }
  return options[name];
}

function given(value, name) {
  if (value === undefined || value === "") {
    throw new UsageError(`${name} is missing.`);
  }
  return value;
}

function must(credentials, name) {
  if (credentials[name] === undefined) {
    throw new UsageError(`The credentials have no ${name}; set EDGELOOM_${name.toUpperCase()}.`);
  }
  return credentials[name];
}

function segment(value, name) {
  return encodeURIComponent(given(value, name));
}

function query(fields) {
  const text = new URLSearchParams(defined(fields)).toString();
  return text === "" ? "" : `?${text}`;
}

function defined(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** `parseArgs`, its complaint as a UsageError. */
function parseArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message);
  }
}

async function main() {
  const { values, positionals } = parseArguments();
  if (values.help || positionals.length === 0) {
    console.log(USAGE);
    return;
  }
  const words = Object.hasOwn(COMMANDS, positionals[0]) ? 1 : 2;
  const name = positionals.slice(0, words).join(" ");
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new UsageError(`There is no command "${name}".`);
  }
  const path =
    values.credentials ?? process.env.EDGELOOM_CREDENTIALS ?? join(".edgeloom", "credentials.json");
  const api = createApi(await loadCredentials(path, values), path);
  const answer = await COMMANDS[name](api, positionals.slice(words), values);
  if (answer !== undefined) {
    console.log(JSON.stringify(answer, null, 2));
  }
}

main().catch((error) => {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  } else if (error instanceof ProblemError) {
    console.error(JSON.stringify(error.problem, null, 2));
    process.exitCode = 1;
  } else {
    console.error(
      error.cause?.code === undefined ? error.message : `${error.message}: ${error.cause.code}`,
    );
    process.exitCode = 1;
  }
});

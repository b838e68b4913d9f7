/** The command line of the public API and the operator API: `edgeloom <resource> <verb> [arguments] [flags]`. */
import { parseArgs } from "node:util";
import type { Problem } from "../../src/contracts/problem.ts";
import { suggestName } from "../../src/lib/errors/suggest-name.ts";
import { UsageError } from "./arguments.ts";
import type { Command, Given } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { guideOf } from "./flag-guides.ts";
import { printResponse } from "./print-response.ts";
import { flagsOf, sendRoute } from "./send-route.ts";
import { ProblemError, readBody, Session } from "./session.ts";

const COMMON = {
  credentials: { type: "string" },
  "base-url": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const GENERAL = `Flags of every command
  --json               print the response as JSON, and problems too
  --credentials FILE   default: .edgeloom/credentials.json, or EDGELOOM_CREDENTIALS
  --base-url URL       default: base_url of the credentials
Problems are printed on stderr with exit code 1, wrong usage with exit code 2.`;

export async function main(given: readonly string[]): Promise<void> {
  const words = withPlural(given);
  const command = findCommand(words);
  try {
    await runCommand(command, words);
  } catch (error) {
    report(error, command, words);
  }
}

async function runCommand(command: Command | undefined, words: readonly string[]): Promise<void> {
  const wantsHelp = words.includes("--help") || words.includes("-h");
  if (command === undefined) {
    const [resource = "", verb = ""] = words.filter((word) => !word.startsWith("-"));
    const isResource = verb === "" && commandsOf(resource).length > 0;
    const isAsked = words.length === 0 || wantsHelp || resource !== "";
    if (!isResource || !isAsked) {
      const known = COMMANDS.map((one) => one.words);
      throw new UsageError(
        `Unknown command: "${words.join(" ")}".${didYouMean(`${resource} ${verb}`.trim(), known)}`,
      );
    }
    console.log(overview(resource));
    return;
  }
  if (wantsHelp) {
    console.log(usageOf(command));
    return;
  }
  const given = parse(command, words.slice(command.words.split(" ").length));
  const session = await Session.open(given.flags);
  const response =
    command.route === undefined
      ? await command.run?.(session, given)
      : await readBody(await sendRoute(session, command.route, given));
  printResponse(response, { isJson: given.flags["json"] === true, columns: command.columns });
}

/** Accepts a resource in the singular: `batch run` is `batches run`. */
export function withPlural([resource = "", ...rest]: readonly string[]): readonly string[] {
  const known = new Set(COMMANDS.map(({ words }) => words.split(" ")[0]));
  const name = [resource, `${resource}s`, `${resource}es`].find((one) => known.has(one));
  return resource === "" ? rest : [name ?? resource, ...rest];
}

function findCommand(words: readonly string[]): Command | undefined {
  const named = (count: number) => words.slice(0, count).join(" ");
  return COMMANDS.find((command) => command.words === named(command.words.split(" ").length));
}

function parse(command: Command, args: readonly string[]): Given {
  const options = { ...COMMON, ...flagsOf(command) };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { args: positionals, flags: values as Given["flags"] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const unknown = /^Unknown option '--?([^']*)'/.exec(message)?.[1];
    throw new UsageError(
      unknown === undefined
        ? message
        : `Unknown flag: --${unknown}.${didYouMean(unknown, Object.keys(options), "--")}`,
    );
  }
}

function didYouMean(given: string, known: readonly string[], prefix = ""): string {
  const nearest = suggestName(given, known);
  return nearest === undefined ? "" : ` Did you mean "${prefix}${nearest}"?`;
}

/** The commands of a resource; all commands if none is given. */
function commandsOf(resource: string): readonly Command[] {
  return resource === ""
    ? COMMANDS
    : COMMANDS.filter(({ words }) => words.split(" ")[0] === resource);
}

function overview(resource: string): string {
  const commands = commandsOf(resource);
  const lines = commands.map((command) => [nameOf(command), command.about] as const);
  const width = Math.max(...lines.map(([name]) => name.length));
  return `Usage: edgeloom <command> [arguments] [flags]

${lines.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join("\n")}

"edgeloom <command> --help" lists the flags of a command.
${GENERAL}`;
}

function nameOf({ words, args }: Command): string {
  return args === undefined || args === "" ? words : `${words} ${args}`;
}

function usageOf(command: Command): string {
  const flags = Object.entries(flagsOf(command)).map(([name, { type, value, multiple }]) => {
    const text = type === "boolean" ? `--${name}` : `--${name} ${value ?? "TEXT"}`;
    const guide = guideOf(command.words, name) ?? "";
    return [text, `${guide}${multiple === true ? "; repeatable" : ""}`] as const;
  });
  const width = Math.max(19, ...flags.map(([text]) => text.length));
  return [
    `Usage: edgeloom ${nameOf(command)} [flags]`,
    "",
    `${command.about}.`,
    ...(flags.length === 0
      ? []
      : ["", "Flags", ...flags.map(([text, guide]) => `  ${text.padEnd(width)}  ${guide}`)]),
    "",
    GENERAL,
  ].join("\n");
}

/** A problem as lines: its code and detail, each field if there are several, and the address of its page. */
function describeProblem(problem: Partial<Problem>): string {
  const { status, code, detail, errors = [], type, request_id: requestId } = problem;
  const fields = errors.map(({ field, message }) => `  ${field}: ${message}`);
  return [
    `${[code, status === undefined ? undefined : `(HTTP ${status})`].filter(Boolean).join(" ")}: ${detail ?? "The request failed."}`,
    ...(fields.length > 1 ? fields : []),
    ...(type === undefined ? [] : [`See ${type}`]),
    ...(requestId === undefined ? [] : [`Request ${requestId}`]),
  ].join("\n");
}

/** The usage of a command; of an unknown one, the commands of its resource, or where to find them all. */
function usageFor(command: Command | undefined, [resource = ""]: readonly string[]): string {
  if (command !== undefined) {
    return usageOf(command);
  }
  return commandsOf(resource).length > 0 && resource !== ""
    ? overview(resource)
    : 'Usage: edgeloom <command> [arguments] [flags]\n\n"edgeloom --help" lists the commands.';
}

function report(error: unknown, command: Command | undefined, words: readonly string[]): void {
  if (error instanceof UsageError) {
    const usage = usageFor(command, words);
    console.error(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  process.exitCode = 1;
  if (error instanceof ProblemError) {
    console.error(
      words.includes("--json")
        ? JSON.stringify(error.problem, null, 2)
        : describeProblem(error.problem),
    );
  } else if (error instanceof Error) {
    const { cause } = error;
    const code = cause instanceof Error && "code" in cause ? `: ${String(cause.code)}` : "";
    console.error(`${error.message}${code}`);
  } else {
    console.error(String(error));
  }
}

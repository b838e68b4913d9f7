// Runs command lines of the CLI one after another or at once, each in a thread of its own, for tests that need many of
// them: a thread starts in a tenth of a process's time. Each line of stdin is `{id, args, env}` as JSON, each line of
// stdout `{id, code, out, err}`. Plain JavaScript, because the machine's own Node runs it.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const CLI = fileURLToPath(new URL("../../../scripts/cli.mjs", import.meta.url));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, args, env } = JSON.parse(line);
  const worker = new Worker(CLI, { argv: args, env, stdout: true, stderr: true });
  const said = { out: "", err: "" };
  worker.stdout.setEncoding("utf8").on("data", (text) => (said.out += text));
  worker.stderr.setEncoding("utf8").on("data", (text) => (said.err += text));
  worker.once("error", (error) => (said.err += String(error)));
  void Promise.all([
    once(worker, "exit"),
    once(worker.stdout, "end"),
    once(worker.stderr, "end"),
  ]).then(([[code]]) => process.stdout.write(`${JSON.stringify({ id, code, ...said })}\n`));
}

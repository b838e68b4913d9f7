import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../scripts/free-port.ts";
import { EXTERNAL, type ExternalEngine } from "./external-engines.ts";

const READY_MS = 60_000;

export interface RunningEngine {
  readonly engine: ExternalEngine;
  readonly baseUrl: string;
  isStopped(): boolean;
  stop(): Promise<void>;
}

/** Starts an external engine with its own folder. Throws an error with its output if it does not start. */
export async function startEngine(
  engine: ExternalEngine,
  directory: string,
): Promise<RunningEngine> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      join(EXTERNAL, "serve-engine.mjs"),
      "--engine",
      engine.id,
      "--port",
      String(port),
      "--persist",
      directory,
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NODE_NO_WARNINGS: "1" } },
  );
  let said = "";
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGTERM");
      reject(new Error(`${engine.name} is not ready after ${READY_MS} ms: ${said}`));
    }, READY_MS);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    child.once("exit", (code) =>
      settle(() => reject(new Error(`${engine.name} ended with code ${code}: ${said}`))),
    );
    const hear = (chunk: string) => {
      said = (said + chunk).slice(-4000);
      if (/^ready$/m.test(said)) {
        settle(resolve);
      }
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
  });
  return {
    engine,
    baseUrl: `http://127.0.0.1:${port}`,
    isStopped: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "../scripts/free-port.ts";

export interface Peers {
  readonly bareUrl: string;
  readonly workflowsUrl: string;
  /** A bare object behind the service's own router. */
  readonly routedUrl: string;
  stop(): Promise<void>;
}

/** Starts the peers in a process of their own, as the service has one. */
export async function startPeers(directory: string): Promise<Peers> {
  const [port, workflowsPort, routedPort] = [await freePort(), await freePort(), await freePort()];
  const script = fileURLToPath(new URL("peers/serve-peers.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    [
      script,
      "--port",
      String(port),
      "--workflows-port",
      String(workflowsPort),
      "--routed-port",
      String(routedPort),
      "--persist",
      directory,
    ],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_NO_WARNINGS: "1" } },
  );
  await ready(child);
  return {
    bareUrl: `http://127.0.0.1:${port}`,
    workflowsUrl: `http://127.0.0.1:${workflowsPort}`,
    routedUrl: `http://127.0.0.1:${routedPort}`,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The peers ended with code ${code}.`)));
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (chunk.includes("ready")) {
        resolve();
      }
    });
  });
}

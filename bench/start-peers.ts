import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../scripts/free-port.ts";
import { workerdsOf } from "./child-workerds.ts";

export interface Peers {
  readonly bareUrl: string;
  readonly workflowsUrl: string;
  /** A bare object behind the service's own router. */
  readonly routedUrl: string;
  /** Folder of their state on disk. */
  readonly directory: string;
  /** One for each of the three. */
  workerdPids(): Promise<number[]>;
  stop(): Promise<void>;
  /** SIGKILL to each workerd and to the process that owns them; the state on disk stays. */
  kill(): Promise<void>;
  /** The same peers, on the same ports and the same folder. */
  restart(): Promise<Peers>;
}

type PeerPorts = readonly [bare: number, workflows: number, routed: number];

/** Starts the peers in their own process, like the service. */
export async function startPeers(directory: string): Promise<Peers> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startPeersOn(directory, [await freePort(), await freePort(), await freePort()]);
    } catch (error) {
      // Another process may have taken a port since the check.
      if (tries === PORT_TRIES) {
        throw error;
      }
    }
  }
}

const PORT_TRIES = 3;

async function startPeersOn(directory: string, ports: PeerPorts): Promise<Peers> {
  const [port, workflowsPort, routedPort] = ports;
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
    directory,
    workerdPids: () => workerdsOf(child.pid ?? 0),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) {
          resolve();
          return;
        }
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
    async kill() {
      const workers = await workerdsOf(child.pid ?? 0);
      const ended = new Promise((resolve) => {
        child.once("exit", resolve);
      });
      // The owning process first, because it would replace a killed workerd.
      child.kill("SIGKILL");
      for (const pid of workers) {
        process.kill(pid, "SIGKILL");
      }
      await ended;
      await Promise.all(workers.map(gone));
    },
    restart: () => startPeersOn(directory, ports),
  };
}

/** Waits until a killed process has released its ports, when only its exit code is left. */
async function gone(pid: number): Promise<void> {
  for (let waits = 0; waits < 1000; waits += 1) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    if (stat === "" || stat.includes(") Z ")) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`Process ${pid} still exists five seconds after it was killed.`);
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

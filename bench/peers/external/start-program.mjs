import { spawn } from "node:child_process";
import { connect } from "node:net";

const READY_MS = 30_000;

/**
 * Starts a program and waits until its port accepts connections. Returns the function that ends it.
 * @param {string} path
 * @param {readonly string[]} args
 * @param {number} port
 * @param {import("node:child_process").SpawnOptions & {stopSignal?: NodeJS.Signals}} options
 */
export async function startProgram(path, args, port, { stopSignal = "SIGTERM", ...options } = {}) {
  const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      said = (said + chunk).slice(-4000);
    });
  }
  const ended = new Promise((resolve) => {
    child.once("exit", resolve);
    child.once("error", (error) => {
      said += String(error);
      resolve(undefined);
    });
  });
  // The program must not outlive this process, however the process ends.
  process.once("exit", () => child.kill("SIGKILL"));
  const deadline = Date.now() + READY_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${path} does not answer on port ${port}: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return async () => {
    child.kill(stopSignal);
    await ended;
  };
}

/** @param {number} port */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

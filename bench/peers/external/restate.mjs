/** Restate: its server with its log on disk, one `ctx.run` per step. */
import { createServer } from "node:http2";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { count, line, startMany } from "./engine.mjs";
import { freePort } from "./free-port.mjs";
import { startProgram } from "./start-program.mjs";

/** @param {string} directory */
export async function startRestate(directory) {
  // By default the SDK logs each invocation, which takes time.
  process.env.RESTATE_LOGGING = "ERROR";
  const restate = await import("@restatedev/restate-sdk");
  const bench = restate.service({
    name: "bench",
    handlers: {
      async chain(ctx, { id, n }) {
        let value = 0;
        for (let i = 0; i < n; i += 1) {
          const before = value;
          value = await ctx.run(`step ${i}`, () => {
            count(id);
            return before + 1;
          });
        }
        return value;
      },
      async fan(ctx, { id, n }) {
        const lines = Array.from({ length: n }, (_, i) =>
          ctx.run(`item ${i}`, () => {
            count(id);
            return line(i);
          }),
        );
        return (await restate.RestatePromise.all(lines)).join("\n");
      },
    },
  });
  const [servicePort, ingressPort, adminPort, nodePort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const endpoint = createServer(restate.createEndpointHandler({ services: [bench] }));
  const sessions = new Set();
  endpoint.on("session", (session) => sessions.add(session));
  await new Promise((resolve) => endpoint.listen(servicePort, "127.0.0.1", resolve));
  const require = createRequire(import.meta.url);
  const binary = join(
    dirname(
      require.resolve(
        `@restatedev/restate-server-${process.platform}-${process.arch}/package.json`,
      ),
    ),
    "bin/restate-server",
  );
  const stopServer = await startProgram(binary, ["--base-dir", directory], adminPort, {
    env: {
      ...process.env,
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}/`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "error",
    },
  });
  await register(adminPort, servicePort);
  const call = async (handler, body) => {
    const answer = await fetch(`http://127.0.0.1:${ingressPort}/bench/${handler}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) {
      throw new Error(`Restate returned ${answer.status}: ${await answer.text()}`);
    }
    return answer.json();
  };
  return {
    start(kind, id, n) {
      return kind === "batch"
        ? startMany(n, () => call("chain", { id, n: 1 }))
        : call(kind, { id, n });
    },
    async stop() {
      await stopServer();
      for (const session of sessions) {
        session.destroy();
      }
      endpoint.close();
    },
  };
}

/** The server needs some time after it starts to listen. */
async function register(adminPort, servicePort) {
  let answer;
  for (let tries = 0; tries < 100; tries += 1) {
    answer = await fetch(`http://127.0.0.1:${adminPort}/deployments`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: `http://127.0.0.1:${servicePort}/` }),
    }).then(
      async (response) => ({ ok: response.ok, text: await response.text() }),
      (error) => ({ ok: false, text: String(error) }),
    );
    if (answer.ok) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Restate accepted no deployment: ${answer?.text}`);
}

/**
 * Global setup of the end-to-end tests: starts one service for all files that request it, on the first request, and
 * stops it after the last file. Files run in separate processes and request it over loopback.
 */
import { appendFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type RunningService, startService } from "./start-service.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which a test file requests the shared service. */
    sharedServiceOffer: string;
  }
}

export interface SharedServiceOffer {
  readonly directory: string;
  readonly port: number;
  readonly logPath: string;
}

export default async function offerSharedService(
  project: TestProject,
): Promise<() => Promise<void>> {
  let started: Promise<RunningService> | undefined;
  let folder: string | undefined;
  const start = async (): Promise<RunningService> => {
    folder = await mkdtemp(join(tmpdir(), "edgeloom-shared-"));
    const logPath = join(folder, "service.log");
    return startService({
      directory: join(folder, "service"),
      onLog: (text) => appendFileSync(logPath, text),
    });
  };
  const server = createServer((_request, response) => {
    started ??= start();
    started.then(
      ({ directory, port }) => {
        const offer: SharedServiceOffer = {
          directory,
          port,
          logPath: join(folder ?? "", "service.log"),
        };
        response.end(JSON.stringify(offer));
      },
      (error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  project.provide(
    "sharedServiceOffer",
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  );
  return async () => {
    server.closeAllConnections();
    server.close();
    await started?.then(
      (service) => service.stop(),
      () => undefined,
    );
    if (folder !== undefined) {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** The service that end-to-end files share if they do not restart, kill or configure it. */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { ApiClient, type Credentials } from "../../../scripts/api-client.ts";
import { publish, readSamples } from "../../../scripts/provision.ts";
import { newWorkspaceKey } from "./new-workspace-token.ts";
import type { SharedServiceOffer } from "./offer-shared-service.ts";
import { startedServices } from "./started-services.ts";
import type { RunningService } from "./start-service.ts";

export interface SharedService extends Pick<
  RunningService,
  "baseUrl" | "client" | "credentials" | "log"
> {
  /** Where it keeps its data. */
  readonly directory: string;
}

/**
 * The shared service, with a client of a workspace for the calling file alone. With `first` the client is of the
 * workspace that the first start fills with samples: for files that only read and run those. With `samples` the file's
 * own workspace has them too.
 */
export async function sharedService(
  workspace: "own" | "first" | "samples" = "own",
): Promise<SharedService> {
  const response = await fetch(inject("sharedServiceOffer"));
  if (!response.ok) {
    throw new Error(await response.text());
  }
  const { directory, logPath } = (await response.json()) as SharedServiceOffer;
  const first = JSON.parse(
    await readFile(join(directory, "credentials.json"), "utf8"),
  ) as Credentials;
  startedServices.add(new URL(first.base_url).origin);
  const credentials =
    workspace === "first"
      ? first
      : {
          ...first,
          ...(await newWorkspaceKey({ baseUrl: first.base_url, credentials: first })),
        };
  const client = new ApiClient(credentials);
  if (workspace === "samples") {
    const samples = await readSamples();
    await Promise.all(samples.map((sample) => publish(client, sample)));
  }
  return {
    directory,
    baseUrl: first.base_url,
    client,
    credentials,
    log: () => (existsSync(logPath) ? readFileSync(logPath, "utf8") : ""),
  };
}

import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { call, type Reply } from "../../support/api-caller.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { BATCHES, BatchFixture } from "./batch-fixture.ts";

/** Columns of every export, before those of inputs and outputs. */
export const COLUMNS =
  "index,client_reference,status,execution,credits_used,error_code,error_message";

/** UTF-8, whose mark would be a character. */
export const text = (bytes: Uint8Array | undefined) =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

/** Exports of one workspace's batches. */
export class ExportFixture extends BatchFixture {
  async endedBatch(body: object): Promise<string> {
    const id = await this.create(body);
    await this.ended(id);
    return id;
  }

  /** The last run of each item. */
  async runsOf(id: string): Promise<string[]> {
    const { data } = (await this.get(`/${id}/items`)).json;
    return data.map(({ execution }: { execution: string }) => execution);
  }

  async endedExport(id: string, format: string): Promise<Reply["json"]> {
    return await waitUntil(`the ${format} export of ${id} to end`, async () => {
      const { json } = await this.get(`/${id}/exports/${format}`);
      return json.status !== "building" && json;
    });
  }

  async exported(id: string, body: { format: string } & Record<string, unknown>) {
    const asked = await this.post(`/${id}/exports`, body);
    expect([asked.status, asked.text]).toEqual([202, expect.any(String)]);
    const status = await this.endedExport(id, body.format);
    expect(status).toMatchObject({
      status: "completed",
      error_message: null,
      progress_percent: 100,
    });
    return status;
  }

  async addressOf(id: string, format: string): Promise<string> {
    const { token } = this.caller;
    const to = await call("GET", `${BATCHES}/${id}/exports/${format}/download`, { token });
    expect(to.status, to.text).toBe(302);
    const { pathname, search } = new URL(to.headers.get("location") ?? "");
    return pathname + search;
  }

  async download(id: string, format: string): Promise<Uint8Array> {
    const address = await this.addressOf(id, format);
    if (format.endsWith("json")) {
      // The document describes files as bytes, and a test's call takes every JSON for what is described.
      const key = decodeURIComponent(address.replace(/^\/files\//, ""));
      const object = await env.FILES.get(key);
      expect(object?.httpMetadata?.contentType).toMatch(/^application\/(?:x-nd)?json$/);
      return new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer());
    }
    const file = await call("GET", address);
    expect(file.status).toBe(200);
    return file.bytes;
  }

  /** The retention of a run's outputs has ended. */
  async expire(run: string): Promise<void> {
    await waitUntil(`the outputs of ${run} to expire`, async () => {
      const stub = env.RUN.get(env.RUN.idFromName(run));
      const request = { v: 1, workspace_id: this.caller.workspaceId } as const;
      const expiry = await stub.expireOutputs(request);
      return expiry.ok && expiry.value.state === "removed";
    });
  }
}

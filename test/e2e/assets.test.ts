/** Files over real sockets: interrupted uploads, clients that hang, and imports from the test's own server. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWriteStream } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "../../scripts/api-client.ts";
import { freePort } from "../../scripts/free-port.ts";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { type LocalService, startLocalService } from "../../scripts/local-service.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { startedServices } from "../support/node/started-services.ts";
import { sizeOf } from "../support/sizes.ts";
import { describeOfOneSize, testInProof, testOfOneSize as it } from "../support/in-proof.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let directory: string;
let service: LocalService;
let client: ApiClient;
let source: Server;
let origin: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-assets-"));
  source = createServer((request, response) => {
    reply(request.url ?? "/", response);
  });
  const sourcePort = await freePort();
  source.listen(sourcePort, "127.0.0.1");
  await once(source, "listening");
  origin = `http://127.0.0.1:${sourcePort}`;
  process.env["EGRESS_ALLOW_LOOPBACK"] = `127.0.0.1:${sourcePort}`;
  service = await startLocalService({
    port: await freePort(),
    directory,
    logTo: createWriteStream(join(directory, "log.txt")),
  });
  startedServices.add(new URL(service.credentials.base_url).origin);
  client = new ApiClient(service.credentials);
});

afterAll(async () => {
  delete process.env["EGRESS_ALLOW_LOOPBACK"];
  await service?.stop();
  source?.closeAllConnections();
  source?.close();
  await rm(directory, { recursive: true, force: true });
});

/** The behavior of the test's own server at each path. */
function reply(path: string, response: ServerResponse): void {
  const send = (type: string, body: string | Buffer, headers: Record<string, string> = {}) => {
    response.writeHead(200, { "content-type": type, ...headers });
    response.end(body);
  };
  const redirect = (to: string) => {
    response.writeHead(302, { location: to });
    response.end();
  };
  const route = path.split("?", 1)[0] ?? "";
  const hop = /^\/hop\/(\d+)$/.exec(route);
  if (hop !== null) {
    const left = Number(hop[1]);
    redirect(left === 0 ? "/pixel.png" : `/hop/${left - 1}`);
    return;
  }
  switch (route) {
    case "/pixel.png":
    case "/plain":
      send("image/png", PNG);
      break;
    case "/named":
      send("application/octet-stream", PNG, {
        "content-disposition": `attachment; filename="x"; filename*=UTF-8''B%C3%BCro.png`,
      });
      break;
    case "/script.php":
      send("text/csv; charset=utf-8", "a,b\n1,2\n");
      break;
    case "/empty.txt":
      send("text/plain", "");
      break;
    case "/lies.png":
      send("image/png", "<html>not a picture</html>");
      break;
    case "/drawing.svg":
      send(
        "image/svg+xml",
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script>1</script><rect width="8" height="8"/></svg>',
      );
      break;
    case "/table.xls":
      send("application/vnd.ms-excel", "x");
      break;
    case "/to-metadata":
      redirect("http://169.254.169.254/latest/meta-data/x.png");
      break;
    case "/to-other-port":
      redirect("http://127.0.0.1:1/x.png");
      break;
    case "/gone.png":
      response.writeHead(404);
      response.end();
      break;
    case "/short.png":
      response.writeHead(200, { "content-type": "image/png", "content-length": "5000" });
      response.write(PNG);
      setTimeout(() => response.destroy(), 50);
      break;
    case "/huge.txt":
      response.writeHead(200, { "content-type": "text/plain", "content-length": "300000000" });
      response.write("x");
      break;
    case "/endless.txt": {
      response.writeHead(200, { "content-type": "text/plain" });
      const piece = Buffer.alloc(1024 * 1024, "x");
      const more = () => {
        while (!response.destroyed && response.write(piece)) {
          // Writes until the socket is full.
        }
      };
      response.on("drain", more);
      more();
      break;
    }
    case "/silent.png":
      break;
    default:
      response.writeHead(500);
      response.end();
  }
}

async function importFrom(url: string, fileName?: string) {
  const response = await client.send("POST", "/api/v1/assets/import", {
    body: { url, ...(fileName !== undefined && { file_name: fileName }) },
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  return { status: response.status, json: (await response.json()) as any };
}

async function total(): Promise<number> {
  const list = await client.call<{ total_count: number }>("GET", "/api/v1/assets");
  return list.total_count;
}

describe("an import", () => {
  it("takes its type from file_name, the address, the disposition, then the type", async () => {
    for (const [path, fileName, name, type] of [
      ["/pixel.png", undefined, "pixel.png", "image/png"],
      ["/plain", undefined, "plain.png", "image/png"],
      ["/plain", "mine.png", "mine.png", "image/png"],
      ["/named", undefined, "Büro.png", "image/png"],
      ["/script.php?x=1", undefined, "script.csv", "text/csv"],
      ["/hop/4", undefined, "pixel.png", "image/png"],
      ["/drawing.svg", undefined, "drawing.svg", "image/svg+xml"],
    ] as const) {
      const { status, json } = await importFrom(origin + path, fileName);
      expect([status, json.name, json.content_type], path).toEqual([201, name, type]);
      const { url } = await client.call<{ url: string }>(
        "GET",
        `/api/v1/assets/download-url?path=${encodeURIComponent(json.path)}`,
      );
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(bytes.byteLength, path).toBe(json.size_bytes);
      if (type === "image/png") {
        expect(bytes.equals(PNG)).toBe(true);
      }
      expect(bytes.includes("<script>")).toBe(false);
    }
  });

  it("is refused with its reason, and leaves nothing", async () => {
    const before = await total();
    for (const [url, fileName, status, code] of [
      [`${origin}/lies.png`, undefined, 400, "content_mismatch"],
      [`${origin}/empty.txt`, undefined, 400, "invalid_file"],
      [`${origin}/plain`, "x.pdf", 400, "content_mismatch"],
      [`${origin}/table.xls`, undefined, 400, "unsupported_type"],
      [`${origin}/plain`, "x.exe", 400, "unsupported_type"],
      [`${origin}/to-metadata`, undefined, 400, "invalid_url"],
      [`${origin}/to-other-port`, undefined, 400, "invalid_url"],
      [`${origin}/hop/9`, undefined, 502, "fetch_failed"],
      [`${origin}/gone.png`, undefined, 502, "fetch_failed"],
      [`${origin}/short.png`, undefined, 502, "fetch_failed"],
      [`${origin}/huge.txt`, undefined, 413, "file_too_large"],
      ["http://127.0.0.1:1/x.png", undefined, 400, "invalid_url"],
      ["https://127.0.0.1/x.png", undefined, 400, "invalid_url"],
      ["https://2130706433/x.png", undefined, 400, "invalid_url"],
      ["https://[::ffff:127.0.0.1]/x.png", undefined, 400, "invalid_url"],
      ["https://localhost/x.png", undefined, 400, "invalid_url"],
      ["https://user@example.com/x.png", undefined, 400, "invalid_url"],
      ["https://no-such-name.invalid/x.png", undefined, 502, "fetch_failed"],
      ["ftp://example.com/x.png", undefined, 400, "invalid_url"],
      ["not a url", undefined, 400, "invalid_url"],
    ] as const) {
      const given = await importFrom(url, fileName);
      expect([given.status, given.json.code], url).toEqual([status, code]);
    }
    const missing = await client.send("POST", "/api/v1/assets/import", { body: {} });
    expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await total()).toBe(before);
  });

  it("is refused when the workspace may not store it, and leaves nothing", async () => {
    const { admin_token: adminToken, workspace_id: workspace } = service.credentials;
    const operator = async (path: string, body: object) => {
      const reply = await fetch(`${service.credentials.base_url}/admin/v1/${path}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(reply.status).toBe(200);
    };
    const before = await total();
    await operator("plans/full", {
      limits: { max_storage_bytes: 1, requests_per_minute: 100_000 },
    });
    await operator(`workspaces/${workspace}/plan`, { plan: "full" });
    try {
      const { status, json } = await importFrom(`${origin}/pixel.png`);
      expect([status, json.code]).toEqual([402, "quota_exceeded"]);
      expect(await total()).toBe(before);
    } finally {
      await operator(`workspaces/${workspace}/plan`, { plan: "dev" });
    }
  });

  testInProof(
    "ends at 250 MB of a body that never ends, and at 10 s of a server that never answers",
    async () => {
      const [endless, silent] = await Promise.all([
        importFrom(`${origin}/endless.txt`),
        importFrom(`${origin}/silent.png`),
      ]);
      expect([endless.status, endless.json.code]).toEqual([413, "file_too_large"]);
      expect([silent.status, silent.json.code]).toEqual([502, "fetch_failed"]);
    },
    300_000,
  );
});

describe("an upload over a real socket", () => {
  /** Sends the beginning of a form and hangs up, or waits. */
  async function begin(bytes: string, declared: number): Promise<import("node:net").Socket> {
    const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      `POST /api/v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await client.token()}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${declared}\r\n\r\n${bytes}`,
    );
    return socket;
  }
  const FORM = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;

  it("whose client goes away leaves nothing, not even of its quota", async () => {
    const usage = async () =>
      (await client.call<{ current_bytes: number }>("GET", "/api/v1/storage/quota")).current_bytes;
    const [before, held] = [await total(), await usage()];
    const socket = await begin(`${FORM}${"x".repeat(7_000_000)}`, 20_000_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await usage()).toBeGreaterThan(held);
    socket.destroy();
    await expect.poll(usage, { timeout: 120_000, interval: 500 }).toBe(held);
    expect(await total()).toBe(before);
  });

  testInProof(
    "whose client hangs is answered after 30 s of silence",
    async () => {
      const socket = await begin(`${FORM}hello`, 20_000_000);
      const [data] = (await once(socket, "data")) as [Buffer];
      expect(data.toString()).toMatch(/^HTTP\/1\.1 400/);
      socket.destroy();
    },
    300_000,
  );

  testInProof(
    "that is refused at its beginning is read to its end, so that its client gets the reason",
    async () => {
      const rest = Buffer.alloc(12 * 1024 * 1024, "a,b\n");
      const send = async (head: string, body: Buffer[]) => {
        const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
        await once(socket, "connect");
        const answered = once(socket, "data") as Promise<[Buffer]>;
        const length = body.reduce((sum, piece) => sum + piece.byteLength, 0);
        socket.write(`${head}\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
        for (const piece of body) {
          // Fails when the service has reset the connection while this is under way.
          await new Promise<void>((resolve, reject) => {
            socket.write(piece, (error) => (error == null ? resolve() : reject(error)));
          });
        }
        const [data] = await answered;
        socket.destroy();
        return data.toString().slice(0, 12);
      };
      const upload = async (name: string, pieces: Buffer[]) =>
        await send(
          `POST /api/v1/assets HTTP/1.1\r\nAuthorization: Bearer ${await client.token()}\r\nContent-Type: multipart/form-data; boundary=b`,
          [Buffer.from(FORM.replace("a.txt", name)), ...pieces, Buffer.from("\r\n--b--\r\n")],
        );
      const form = async (name: string) => await upload(name, [rest]);
      expect(await form("a.exe")).toBe("HTTP/1.1 400");
      expect(await form("a.png")).toBe("HTTP/1.1 400");
      const session = await client.call<{ upload_url: string }>("POST", "/api/v1/assets/uploads", {
        body: { file_name: "a.csv", size_bytes: 5 },
      });
      const { pathname, search } = new URL(session.upload_url);
      const put = `PUT ${pathname}${search} HTTP/1.1\r\nContent-Type: text/csv`;
      expect(await send(put, [rest])).toBe("HTTP/1.1 413");
      // After the cap the request has more left than a refused request may send.
      const many = Array.from({ length: 22 }, () => rest);
      expect(await upload("big.csv", many)).toBe("HTTP/1.1 413");
    },
    300_000,
  );

  testInProof(
    "of 200 MB arrives whole, and another call is answered meanwhile",
    async () => {
      const size = 200 * 1024 * 1024;
      const piece = Buffer.alloc(1024 * 1024, "0123456789abcdef");
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller: ReadableStreamDefaultController<Uint8Array>) {
          if (sent === 0) {
            controller.enqueue(Buffer.from(FORM));
          }
          sent++;
          controller.enqueue(sent <= 200 ? piece : Buffer.from("\r\n--b--\r\n"));
          if (sent > 200) {
            controller.close();
          }
        },
      });
      const uploading = fetch(new URL("/api/v1/assets", service.baseUrl), {
        method: "POST",
        headers: {
          authorization: `Bearer ${await client.token()}`,
          "content-type": "multipart/form-data; boundary=b",
        },
        body,
        duplex: "half",
      } as RequestInit);
      expect(await total()).toBeGreaterThanOrEqual(0);
      const response = await uploading;
      const json = (await response.json()) as { path: string; size_bytes: number };
      expect([response.status, json.size_bytes]).toEqual([201, size]);
      const { url } = await client.call<{ url: string }>(
        "GET",
        `/api/v1/assets/download-url?path=${encodeURIComponent(json.path)}`,
      );
      const tail = await fetch(url, { headers: { range: "bytes=-16" } });
      expect([tail.status, await tail.text()]).toEqual([206, "0123456789abcdef"]);
    },
    300_000,
  );
});

describeOfOneSize("a run on files", () => {
  const node = (id: string, type: string, parameters: unknown = {}) => ({
    id,
    type,
    label: id,
    parameters,
  });
  const wire = (from: string, to: string) => {
    const [a = "", b = ""] = from.split(".");
    const [c = "", d = ""] = to.split(".");
    return { from: { node: a, port: b }, to: { node: c, port: d } };
  };
  const PASS = {
    name: "Pass",
    description: "",
    tags: [],
    definition: {
      nodes: [node("picture", "input/image"), node("out", "output/image", { file_name: "kept" })],
      connections: [wire("picture.image", "out.image")],
    },
  };
  let pass: string;
  beforeAll(async () => {
    pass = await publish(client, PASS as never);
  });

  function uploadFile(name: string, bytes: Buffer | string): Promise<string> {
    return uploadAsset(client, name, bytes);
  }

  async function outcome(workflow: string, inputs: unknown) {
    const run = await submitRun(client, { workflow, inputs } as never);
    await waitForRun(client, run);
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
    return { id: run, ...((await readResult(client, run)) as any) };
  }

  async function refusal(workflow: string, inputs: unknown) {
    const response = await client.send("POST", "/api/v1/executions", {
      body: { workflow, inputs },
    });
    return [response.status, ((await response.json()) as { code: string }).code];
  }

  it("takes an asset, and its output outlives the asset", async () => {
    const path = await uploadFile("pixel.png", PNG);
    const result = await outcome(pass, { picture: { asset_path: path } });
    expect(result.status).toBe("completed");
    const { url } = result.result.by_key.out;
    expect(url).toContain(`/runs/${result.id}/`);
    const query = `?path=${encodeURIComponent(path)}`;
    expect((await client.send("DELETE", `/api/v1/assets${query}`)).status).toBe(204);
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(bytes.equals(PNG)).toBe(true);
    expect(await refusal(pass, { picture: { asset_path: path } })).toEqual([404, "not_found"]);
    // A prior run's output is taken too, and kept once more.
    const key = decodeURIComponent(new URL(url).pathname.slice("/files/".length));
    const second = await outcome(pass, { picture: { asset_path: key } });
    expect([second.status, second.result.by_key.out.url === url]).toEqual(["completed", false]);
    const third = await outcome(pass, { picture: { asset_path: `${key}?name=pixel` } });
    expect(third.status).toBe("completed");
    expect(await refusal(pass, { picture: { asset_path: key.replace(/^ws_./, "ws_f") } })).toEqual([
      403,
      "forbidden",
    ]);
  });

  it("fetches an address once, before any node runs, and cleans an SVG", async () => {
    const result = await outcome(pass, {
      picture: { value: JSON.stringify(`${origin}/drawing.svg`) },
    });
    expect(result.status).toBe("completed");
    const drawing = await fetch(result.result.by_key.out.url);
    expect(drawing.headers.get("content-type")).toBe("image/svg+xml");
    expect(await drawing.text()).not.toContain("script");
  });

  it("is refused at submit for a forbidden address, and fails with the reason for any other", async () => {
    for (const address of ["https://127.0.0.1/x.png", "ftp://x/", "https://localhost/x.png"]) {
      expect(await refusal(pass, { picture: { value: JSON.stringify(address) } }), address).toEqual(
        [400, "validation_error"],
      );
    }
    const table = await uploadFile("t.csv", "a,b\n1,2\n");
    expect(await refusal(pass, { picture: { asset_path: table } })).toEqual([
      400,
      "validation_error",
    ]);
    for (const [path, code] of [
      ["/lies.png", "MEDIA_TYPE_MISMATCH"],
      ["/script.php", "MEDIA_TYPE_MISMATCH"],
      ["/to-metadata", "MEDIA_URL_REFUSED"],
      ["/table.xls", "MEDIA_TYPE_UNSUPPORTED"],
    ] as const) {
      const run = await submitRun(client, {
        workflow: pass,
        inputs: { picture: { value: JSON.stringify(origin + path) } },
      } as never);
      const ended = await waitForRun(client, run);
      expect([ended.status, ended.error_code], path).toEqual(["failed", code]);
    }
  });

  it("fetches the addresses of its rows", async () => {
    const rows = await publish(client, {
      name: "Rows",
      description: "",
      tags: [],
      definition: {
        nodes: [
          node("rows", "input/json", {
            jsonConfig: { properties: [{ path: "u", outputPort: "u", outputType: "url" }] },
          }),
          node("fetched", "utility/media_from_url", { media_type: "image" }),
          node("out", "output/image", { format: "png" }),
        ],
        connections: [wire("rows.u", "fetched.url"), wire("fetched.media", "out.image")],
      },
    } as never);
    const list = ["/pixel.png", "/drawing.svg", "/gone.txt"].map((path) => ({ u: origin + path }));
    const result = await outcome(rows, { rows: { value: JSON.stringify(list) } });
    expect(result.status).toBe("partial_success");
    const items = result.result.by_key.out.items as {
      delivery: string;
      url: string;
      thumbnail_url: string | null;
    }[];
    expect(items.map(({ delivery }) => delivery)).toEqual(["asset", "asset", "unavailable"]);
    const thumbnails = items.map((item) => item.thumbnail_url);
    expect(thumbnails).toEqual([
      `${items[0]?.url}?size=thumbnail`,
      `${items[1]?.url}?size=thumbnail`,
      null,
    ]);
    const drawn = Buffer.from(await (await fetch(items[1]?.url ?? "")).arrayBuffer());
    expect(drawn.subarray(1, 4).toString()).toBe("PNG");
  });
});

describe("a presigned upload over real sockets and the real queue", () => {
  test("in parts of 8 MiB is finalized, byte for byte", async () => {
    const count = sizeOf("uploadParts");
    const last = count - 1;
    const size = last * 8 * 1024 * 1024 + 2_097_152;
    const piece = Buffer.alloc(8 * 1024 * 1024, "0123456789abcdef");
    const sessionOf = (path: string, body?: unknown) =>
      // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
      client.call<any>(body === undefined ? "GET" : "POST", `/api/v1/assets/uploads${path}`, {
        ...(body !== undefined && { body }),
      });
    const session = await sessionOf("", { file_name: "large.txt", size_bytes: size });
    expect(session.total_parts).toBe(count);
    const parts = Array.from({ length: count }, (_, index) => {
      const bytes = index < last ? piece : piece.subarray(0, size - last * piece.byteLength);
      const checksum = createHash("md5").update(bytes).digest("base64");
      return { bytes, part_number: index + 1, size_bytes: bytes.byteLength, checksum };
    });
    const { parts: grants } = await sessionOf(`/${session.upload_id}/parts:sign`, {
      parts: parts.map(({ part_number, size_bytes, checksum }) => ({
        part_number,
        size_bytes,
        checksum_base64: checksum,
      })),
    });
    const lane = async (from: number) => {
      for (let at = from; at < count; at += 4) {
        const put = await fetch(grants[at].upload_url, {
          method: "PUT",
          headers: grants[at].required_headers,
          body: parts[at]?.bytes,
        } as RequestInit);
        expect(put.status).toBe(200);
      }
    };
    await Promise.all([0, 1, 2, 3].map(lane));
    const completed = await client.send(
      "POST",
      `/api/v1/assets/uploads/${session.upload_id}:complete`,
    );
    expect(completed.status).toBe(202);
    await expect
      .poll(async () => (await sessionOf(`/${session.upload_id}`)).status, { timeout: 120_000 })
      .toBe("finalized");
    const { path } = await sessionOf(`/${session.upload_id}`);
    const { url } = await client.call<{ url: string }>(
      "GET",
      `/api/v1/assets/download-url?path=${encodeURIComponent(path)}`,
    );
    const got = createHash("md5");
    for await (const chunk of (await fetch(url)).body ?? []) {
      got.update(chunk);
    }
    const expected = createHash("md5");
    for (const { bytes } of parts) {
      expected.update(bytes);
    }
    expect(got.digest("hex")).toBe(expected.digest("hex"));
  });
});

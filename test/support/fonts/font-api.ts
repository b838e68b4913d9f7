import { exports } from "cloudflare:workers";
import { sha256HexOfBytes } from "../../../src/lib/sha256.ts";
import { type Reply, call, type Caller } from "../api-caller.ts";
import { fontForm, type FontFormSpec } from "./font-form.ts";

type Who = Pick<Caller, "token">;

/** The six routes of fonts, called by one workspace, or by another that is passed last. */
export class FontApi {
  readonly #caller: Who;

  constructor(caller: Who) {
    this.#caller = caller;
  }

  get(path: string, headers: Record<string, string> = {}, who: Who = this.#caller): Promise<Reply> {
    return call("GET", path, { token: who.token, headers });
  }

  create(spec: FontFormSpec = {}, who: Who = this.#caller): Promise<Reply> {
    return call("POST", "/api/v1/fonts", { token: who.token, body: fontForm(spec) });
  }

  revise(familyGuid: string, spec: FontFormSpec, who: Who = this.#caller): Promise<Reply> {
    const path = `/api/v1/fonts/${familyGuid}/revisions`;
    return call("POST", path, { token: who.token, body: fontForm(spec) });
  }

  archive(familyGuid: string, who: Who = this.#caller): Promise<Reply> {
    return call("POST", `/api/v1/fonts/${familyGuid}/archive`, { token: who.token });
  }

  /** The workspace's own families in the list. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  async own(): Promise<any[]> {
    return (await this.get("/api/v1/fonts?scope=workspace&limit=100")).json.data;
  }

  async bytesInUse(): Promise<number> {
    return (await this.get("/api/v1/storage/quota")).json.current_bytes;
  }

  /** SHA-256, in hex, of the bytes at an address. */
  async hashAt(url: string): Promise<string> {
    const headers = { authorization: `Bearer ${this.#caller.token}` };
    const response = await exports.default.fetch(new Request(url, { headers }));
    if (response.status !== 200) {
      throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    }
    return await sha256HexOfBytes(new Uint8Array(await response.arrayBuffer()));
  }
}

/** Reads of one stored file by the service's readers and by other libraries, all in this isolate. */
import { read as readSheetJs } from "@e965/xlsx";
import { readXlsx } from "hucre";
import Papa from "papaparse";
import { CsvTokenizer } from "../../src/datasets/csv/csv-tokenizer.ts";
import { profileDataset } from "../../src/datasets/profile/profile-dataset.ts";
import { decodeText } from "../../src/datasets/text/decode-text.ts";
import { R2Source } from "../../src/storage/r2/r2-source.ts";
import { DEFAULT_OPTIONS } from "../../test/support/datasets/inspect-bytes.ts";

interface Env {
  readonly FILES: R2Bucket;
}

/** The count of each way of reading: rows, or characters for the floor. */
const WAYS: Readonly<Record<string, (source: R2Source, env: Env, key: string) => Promise<number>>> =
  {
    /** The usual way to read a stored text: chunk by chunk through a decoder. */
    async plain(_source, env, key) {
      const object = await env.FILES.get(key);
      let characters = 0;
      const decoder = new TextDecoder();
      for await (const chunk of object!.body) {
        characters += decoder.decode(chunk as Uint8Array, { stream: true }).length;
      }
      return characters;
    },
    /** The same through the reader that all dataset readers share. */
    async bytes(source) {
      let characters = 0;
      for await (const piece of decodeText(source, "utf-8")) {
        characters += piece.length;
      }
      return characters;
    },
    async tokenize(source) {
      let rows = 0;
      const tokenizer = new CsvTokenizer(",", () => {
        rows++;
      });
      for await (const piece of decodeText(source, "utf-8")) {
        tokenizer.write(piece);
      }
      tokenizer.finish();
      return rows - 1;
    },
    async profile(source, _env, key) {
      const table = key.endsWith(".json") ? "$" : null;
      const { profile } = await profileDataset(source, key, { ...DEFAULT_OPTIONS, table });
      return profile.row_count;
    },
    /** PapaParse streaming: piece by piece, with the remainder prepended to the next piece. */
    async papaparse(source) {
      let rows = 0;
      let rest = "";
      const parse = (text: string, isMore: boolean) => {
        const parser = new Papa.Parser({ delimiter: ",", newline: "\n" } as never);
        const { data, meta } = parser.parse(text, 0, isMore) as {
          data: unknown[];
          meta: { cursor: number };
        };
        rows += data.length;
        return text.slice(meta.cursor);
      };
      for await (const piece of decodeText(source, "utf-8")) {
        rest = parse(rest + piece, true);
      }
      if (rest !== "") {
        parse(rest, false);
      }
      return rows - 1;
    },
    async hucre(_source, env, key) {
      const object = await env.FILES.get(key);
      const { sheets } = await readXlsx(new Uint8Array(await object!.arrayBuffer()));
      return (sheets[0]?.rows.length ?? 0) - 1;
    },
    async sheetjs(_source, env, key) {
      const object = await env.FILES.get(key);
      const { Sheets, SheetNames } = readSheetJs(await object!.arrayBuffer(), { dense: true });
      return ((Sheets[SheetNames[0]!] as { "!data"?: unknown[] })["!data"]?.length ?? 0) - 1;
    },
    async parse(_source, env, key) {
      const object = await env.FILES.get(key);
      return (JSON.parse(await object!.text()) as unknown[]).length;
    },
  };

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const key = url.pathname.slice(1);
    if (request.method === "PUT") {
      await env.FILES.put(key, request.body);
      return new Response("stored");
    }
    const object = await env.FILES.head(key);
    const way = WAYS[url.searchParams.get("way") ?? ""];
    if (object === null || way === undefined) {
      return new Response("unknown", { status: 404 });
    }
    const source = new R2Source(env.FILES, { key, sizeBytes: object.size, etag: object.etag });
    return new Response(String(await way(source, env, key)));
  },
} satisfies ExportedHandler<Env>;

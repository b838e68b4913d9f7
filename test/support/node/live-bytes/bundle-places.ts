import type { Inspector } from "../../../../bench/inspector.ts";

/** As the debugger reports it; lines and columns count from 0. */
interface Place {
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface Script {
  readonly url: string;
  readonly source: string;
}

/** Positions in a running Worker's code, found by their source text. */
export class BundlePlaces {
  readonly #scripts: readonly Script[];

  private constructor(scripts: readonly Script[]) {
    this.#scripts = scripts;
  }

  /** Enables the debugger and reads all reported code. */
  static async read(inspector: Inspector): Promise<BundlePlaces> {
    const parsed: { readonly url: string; readonly scriptId: string }[] = [];
    inspector.on("Debugger.scriptParsed", ({ scriptId, url, scriptLanguage }) => {
      if (scriptLanguage !== "WebAssembly") {
        parsed.push({ scriptId: scriptId as string, url: url as string });
      }
    });
    await inspector.send("Debugger.enable");
    const scripts = parsed.map(async ({ scriptId, url }) => {
      const { scriptSource } = await inspector.send("Debugger.getScriptSource", { scriptId });
      return { url, source: scriptSource as string };
    });
    return new BundlePlaces(await Promise.all(scripts));
  }

  /** The position of a source text, and the value of its group. Throws unless it occurs exactly once. */
  find(text: RegExp): { readonly place: Place; readonly group: string } {
    const found = this.#scripts.flatMap(({ url, source }) =>
      [...source.matchAll(new RegExp(text, "g"))].map(({ index, 1: group = "" }) => {
        const lines = source.slice(0, index).split("\n");
        const columnNumber = lines.at(-1)?.length ?? 0;
        return { place: { url, lineNumber: lines.length - 1, columnNumber }, group };
      }),
    );
    const [only] = found;
    if (only === undefined || found.length > 1) {
      throw new Error(
        `${String(text)} is ${found.length} times in the Worker's code. The guard of the memory budget stops there: name the place as it is written now.`,
      );
    }
    return only;
  }
}

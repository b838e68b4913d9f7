import type { Inspector } from "../../../../bench/inspector.ts";

/** As the debugger names one; lines and columns count from 0. */
interface Place {
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface Script {
  readonly url: string;
  readonly source: string;
}

/** Places in a running Worker's code, found by what is written there. */
export class BundlePlaces {
  readonly #scripts: readonly Script[];

  private constructor(scripts: readonly Script[]) {
    this.#scripts = scripts;
  }

  /** Turns the debugger on and reads all code that it tells of. */
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

  /** Where that is written, and what its group is. Throws where it is not, or more than once. */
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

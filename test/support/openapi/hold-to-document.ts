import { recordResponse } from "./response-record.ts";
import { type Exchange, ServedDocument } from "./served-document.ts";

/** The document read last. Services of one build serve the same text, and reading it takes long. */
let last: { readonly text: string; readonly served: ServedDocument } | undefined;

function read(text: string): ServedDocument {
  if (last?.text !== text) {
    last = { text, served: new ServedDocument(JSON.parse(text)) };
  }
  return last.served;
}

/** Throws if a response does not match the service's own document; otherwise records it as seen. */
export class DocumentHolder {
  #served: Promise<ServedDocument> | undefined;

  /** `fetchDocument` is called for the first exchange, and again after it failed. */
  async hold(exchange: Exchange, fetchDocument: () => Promise<Response>): Promise<void> {
    this.#served ??= fetchDocument().then(async (response) => read(await response.text()));
    const served = await this.#served.catch((error: unknown) => {
      this.#served = undefined;
      throw error;
    });
    const { pair, problems } = await served.check(exchange);
    if (problems.length > 0) {
      throw new Error(`not as documented: ${problems.join("; ")}\n${exchange.text.slice(0, 1000)}`);
    }
    if (pair !== undefined) {
      recordResponse(pair);
    }
  }
}

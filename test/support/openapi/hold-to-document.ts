import { recordResponse } from "./response-record.ts";
import { type Exchange, ServedDocument } from "./served-document.ts";

/** Throws if a response does not match the service's own document; otherwise records it as seen. */
export class DocumentHolder {
  readonly #fetchDocument: () => Promise<Response>;
  #served: Promise<ServedDocument> | undefined;

  constructor(fetchDocument: () => Promise<Response>) {
    this.#fetchDocument = fetchDocument;
  }

  async hold(exchange: Exchange): Promise<void> {
    this.#served ??= this.#fetchDocument().then(
      async (response) => new ServedDocument(await response.json()),
    );
    const { pair, problems } = await (await this.#served).check(exchange);
    if (problems.length > 0) {
      throw new Error(`not as documented: ${problems.join("; ")}\n${exchange.text.slice(0, 1000)}`);
    }
    if (pair !== undefined) {
      recordResponse(pair);
    }
  }
}

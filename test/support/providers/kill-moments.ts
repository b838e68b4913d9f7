/** The moments of a call at which a test stops the service, as a provider's server sees them. */
import type { ServerResponse } from "node:http";
import type { Answer, ReceivedRequest, ScriptedServer } from "./scripted-server.ts";

export interface KillMoment {
  readonly name: string;
  /** The request that it belongs to. */
  readonly isIt: (method: string, path: string) => boolean;
  /**
   * `arrives`: the head of the request is there; `held`: all of it, and it is not answered; `half`: so is half of the
   * answer; `answered`: all of it.
   */
  readonly at: "arrives" | "held" | "half" | "answered";
}

/**
 * Holds calls of one server, each at another moment: a call goes on until it comes to a moment that holds no call yet. Calls
 * beyond the moments are answered as `works` does.
 */
export class HeldMoments {
  /** Resolves when each moment holds a call; a moment `answered` holds the answer back until `answer`. */
  readonly reached: Promise<void>;
  readonly #server: ScriptedServer;
  readonly #works: Answer;
  readonly #missing: KillMoment[];
  readonly #answers: (() => Promise<void>)[] = [];
  #left: number;
  #resolve: () => void = () => {};

  constructor(server: ScriptedServer, works: Answer, moments: readonly KillMoment[]) {
    this.#server = server;
    this.#works = works;
    this.#missing = [...moments];
    this.#left = moments.length;
    this.reached = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (moments.length === 0) {
      this.#resolve();
    }
    server.onArrival = (method, path) => {
      if (this.#take(method, path, true) === undefined) {
        return undefined;
      }
      this.#hold();
      return new Promise(() => {});
    };
    server.answer = (request, response) => this.#answer(request, response);
  }

  /** The moments that hold no call. */
  get missing(): readonly KillMoment[] {
    return [...this.#missing];
  }

  /** Sends the answers that are held back. Resolves when they are sent whole, or their callers have gone. */
  async answer(): Promise<void> {
    await Promise.all(this.#answers.map((send) => send()));
  }

  /** From now on the server answers. */
  end(): void {
    this.#server.onArrival = () => {};
    this.#server.answer = this.#works;
  }

  #take(method: string, path: string, isArrival: boolean): KillMoment | undefined {
    const at = this.#missing.findIndex(
      (one) => (one.at === "arrives") === isArrival && one.isIt(method, path),
    );
    return at < 0 ? undefined : this.#missing.splice(at, 1)[0];
  }

  #hold(): void {
    this.#left -= 1;
    if (this.#left === 0) {
      this.#resolve();
    }
  }

  #answer(request: ReceivedRequest, response: ServerResponse): void | Promise<void> {
    switch (this.#take(request.method, request.path, false)?.at) {
      case "held":
        // The provider carries it out all the same.
        this.#hold();
        return;
      case "half":
        cutOff(response, () => {
          this.#hold();
        });
        return this.#works(request, response);
      case "answered":
        this.#answers.push(
          () =>
            new Promise((resolve) => {
              // A caller that has gone leaves its answer unfinished.
              if (response.closed) {
                resolve();
                return;
              }
              response.once("close", resolve);
              void this.#works(request, response);
            }),
        );
        this.#hold();
        return;
      default:
        return this.#works(request, response);
    }
  }
}

/** Only the first piece of the body is sent, and of an only piece its half. */
function cutOff(response: ServerResponse, end: () => void): void {
  const write = response.write.bind(response);
  let hasWritten = false;
  const first = (piece: unknown, part: number) => {
    if (!hasWritten && (typeof piece === "string" || piece instanceof Uint8Array)) {
      const bytes = Buffer.from(piece);
      write(bytes.subarray(0, Math.ceil(bytes.length * part)), "utf8", () => {
        end();
      });
      hasWritten = true;
    }
    return true;
  };
  response.write = ((piece: unknown) => first(piece, 1)) as typeof response.write;
  response.end = ((piece: unknown) => {
    first(piece, 0.5);
    return response;
  }) as typeof response.end;
}

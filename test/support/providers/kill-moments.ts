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

/** Resolves at the moment, once; until then and afterwards the server answers as `works` does. */
export function reached(server: ScriptedServer, works: Answer, moment: KillMoment): Promise<void> {
  return new Promise((resolve) => {
    let isOver = false;
    const isNow = (method: string, path: string) => {
      const isFirst = !isOver && moment.isIt(method, path);
      isOver ||= isFirst;
      return isFirst;
    };
    const end = () => {
      server.onArrival = () => {};
      resolve();
    };
    server.onArrival = (method, path) => {
      if (moment.at === "arrives" && isNow(method, path)) {
        end();
      }
    };
    server.answer = (request, response) => {
      if (moment.at === "arrives" || !isNow(request.method, request.path)) {
        return works(request, response);
      }
      return stopped(works, request, response, moment.at, end);
    };
  });
}

function stopped(
  works: Answer,
  request: ReceivedRequest,
  response: ServerResponse,
  at: "held" | "half" | "answered",
  end: () => void,
): void | Promise<void> {
  switch (at) {
    case "held":
      // The provider carries it out all the same.
      end();
      return;
    case "half":
      cutOff(response, end);
      return works(request, response);
    case "answered":
      response.on("finish", end);
      return works(request, response);
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

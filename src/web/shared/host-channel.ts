/** The messages between a page and the page that embeds it (docs/embeds.md#messages). Pure: `open-host-channel.ts` binds it to a window. */
import { readPayload } from "./read-payload.ts";
import {
  type Command,
  CommandRefused,
  type Envelope,
  PROTOCOL_VERSION,
  REQUEST_ID_CHARS_MAX,
  WAITING_COMMANDS_MAX,
} from "./protocol.ts";

/** As far as it is used here; a `MessagePort` is one. */
export interface HostPort {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** As far as it is used here; a `MessageEvent` is one. */
export interface HostMessage {
  readonly source: unknown;
  readonly origin: string;
  readonly data: unknown;
  readonly ports: readonly HostPort[];
}

export interface HostChannelOptions {
  /** The window of the page that embeds this one. */
  readonly parent: unknown;
  /** Origins whose messages are heard, the page's own among them. */
  readonly origins: readonly string[];
  /** Types of the commands; others are ignored. */
  readonly accepted: readonly string[];
  /** Posts to the parent, whatever its origin: `frame-ancestors` decides which parents there are. */
  readonly post: (message: Envelope) => void;
  /**
   * Runs a command and returns what its answer contains. Commands start in the order of their messages; a promise does
   * not hold up the next one. Throws or rejects with `CommandRefused`.
   */
  readonly run: (command: Command) => unknown;
  /** A sentence for people in the language of the page. */
  readonly text: (key: ChannelText) => string;
}

/** Sentences that the channel itself says. */
export type ChannelText =
  | "invalid_message"
  | "message_too_large"
  | "message_dropped"
  | "version_unsupported"
  | "internal";

type Phase =
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly refusal: CommandRefused };

/** One channel for each document. No message makes it throw, and each command with a request id is answered once. */
export class HostChannel {
  readonly #options: HostChannelOptions;
  readonly #waiting: Command[] = [];
  #phase: Phase = { kind: "starting" };
  #port: HostPort | undefined;

  constructor(options: HostChannelOptions) {
    this.#options = options;
  }

  /** Takes a message of the window. Those of other windows and other origins are ignored. */
  receive({ source, origin, data, ports }: HostMessage): void {
    const { parent, origins } = this.#options;
    if (source !== parent || parent === null || !origins.includes(origin)) {
      return;
    }
    const envelope = readEnvelope(data);
    if (envelope?.type === "svc:hello") {
      this.#greet(envelope.payload, ports);
    } else if (envelope !== undefined) {
      this.#take(envelope);
    }
  }

  /** Posts an event: to the port once there is one, and to the parent before. */
  emit(type: string, payload: unknown): void {
    this.#send({ type, payload });
  }

  /** Runs the commands that wait. Call it after `svc:ready` was posted; also when a page that had failed was started again. */
  open(): void {
    if (this.#phase.kind === "ready") {
      return;
    }
    this.#phase = { kind: "ready" };
    for (const command of this.#waiting.splice(0)) {
      this.#run(command);
    }
  }

  /**
   * The page cannot start: posts `svc:error`, and refuses each command with the same code from now on, except a new token,
   * which may be what the page lacks.
   */
  fail(refusal: CommandRefused): void {
    this.#phase = { kind: "failed", refusal };
    this.#tell(refusal);
    for (const command of this.#waiting.splice(0)) {
      this.#start(command);
    }
  }

  /** Lets commands wait again, for a page that had failed and loads once more with a new token. False if it had not failed. */
  restart(): boolean {
    const hadFailed = this.#phase.kind === "failed";
    if (hadFailed) {
      this.#phase = { kind: "starting" };
    }
    return hadFailed;
  }

  #greet(payload: unknown, ports: readonly HostPort[]): void {
    const [port] = ports;
    if (this.#port !== undefined || port === undefined || ports.length !== 1) {
      return;
    }
    const versions = isRecord(payload) ? payload["versions"] : undefined;
    if (!Array.isArray(versions) || !versions.includes(PROTOCOL_VERSION)) {
      port.postMessage({
        type: "svc:error",
        payload: {
          code: "version_unsupported",
          message: this.#options.text("version_unsupported"),
          supported: [PROTOCOL_VERSION],
        },
      });
      return;
    }
    this.#port = port;
    port.onmessage = ({ data }) => {
      const envelope = readEnvelope(data);
      if (envelope !== undefined) {
        this.#take(envelope);
      }
    };
    this.emit("svc:welcome", { version: PROTOCOL_VERSION, accepted: [...this.#options.accepted] });
  }

  #take(envelope: OpenEnvelope): void {
    if (!this.#options.accepted.includes(envelope.type)) {
      return;
    }
    const requestId = readRequestId(envelope.requestId);
    if (requestId === null) {
      this.#tell(this.#refusal("invalid_message", "invalid_message"));
      return;
    }
    const payload = readPayload(envelope.payload);
    if (!payload.ok) {
      const text = payload.reason === "too_large" ? "message_too_large" : "invalid_message";
      const refusal = this.#refusal("invalid_message", text);
      this.#tell(refusal);
      this.#refuse(requestId, refusal);
      return;
    }
    this.#start({ type: envelope.type, payload: payload.value, requestId });
  }

  #start(command: Command): void {
    switch (this.#phase.kind) {
      case "starting":
        this.#wait(command);
        break;
      case "failed":
        if (command.type === "svc:setToken") {
          this.#run(command);
        } else {
          this.#refuse(command.requestId, this.#phase.refusal);
        }
        break;
      case "ready":
        this.#run(command);
        break;
    }
  }

  #wait(command: Command): void {
    this.#waiting.push(command);
    if (this.#waiting.length > WAITING_COMMANDS_MAX) {
      this.#refuse(
        this.#waiting.shift()?.requestId,
        this.#refusal("invalid_message", "message_dropped"),
      );
    }
  }

  #run(command: Command): void {
    let result: unknown;
    try {
      result = this.#options.run(command);
    } catch (thrown) {
      this.#answerRefused(command, thrown);
      return;
    }
    if (result instanceof Promise) {
      result.then(
        (value: unknown) => {
          this.#answer(command.requestId, value);
        },
        (thrown: unknown) => {
          this.#answerRefused(command, thrown);
        },
      );
    } else {
      this.#answer(command.requestId, result);
    }
  }

  #answer(requestId: string | undefined, value: unknown): void {
    if (requestId === undefined) {
      return;
    }
    const payload = { requestId, ok: true, ...(value !== undefined && { value }) };
    if (!this.#send({ type: "svc:result", payload })) {
      this.#refuse(requestId, this.#refusal("internal_error", "internal"));
    }
  }

  #answerRefused({ requestId }: Command, thrown: unknown): void {
    const refusal =
      thrown instanceof CommandRefused ? thrown : this.#refusal("internal_error", "internal");
    if (!refusal.isTold) {
      this.#tell(refusal);
    }
    this.#refuse(requestId, refusal);
  }

  #refuse(requestId: string | undefined, { code, message }: CommandRefused): void {
    if (requestId !== undefined) {
      this.emit("svc:result", { requestId, ok: false, error: { code, message } });
    }
  }

  /** False if the message cannot be cloned, which is a defect of the page; later messages must not suffer from it. */
  #send(message: Envelope): boolean {
    try {
      if (this.#port === undefined) {
        this.#options.post(message);
      } else {
        this.#port.postMessage(message);
      }
      return true;
    } catch {
      return false;
    }
  }

  #tell({ code, message, details }: CommandRefused): void {
    this.emit("svc:error", { ...details, code, message });
  }

  #refusal(code: string, text: ChannelText): CommandRefused {
    return new CommandRefused(code, this.#options.text(text));
  }
}

interface OpenEnvelope extends Envelope {
  readonly requestId?: unknown;
}

/** Undefined for anything but an object with a type. */
function readEnvelope(data: unknown): OpenEnvelope | undefined {
  try {
    if (!isRecord(data) || typeof data["type"] !== "string") {
      return undefined;
    }
    const { type, payload, requestId } = data;
    return { type, payload, requestId };
  } catch {
    // A getter that throws; a browser's clone has none.
    return undefined;
  }
}

/** Null for a value that cannot be a request id. */
function readRequestId(given: unknown): string | undefined | null {
  if (given === undefined) {
    return undefined;
  }
  return typeof given === "string" && given.length <= REQUEST_ID_CHARS_MAX ? given : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

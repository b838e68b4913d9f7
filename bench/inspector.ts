/** The few calls of the debugger protocol that return the size of a Worker's heap. */

export interface Inspector {
  /** Used bytes of the isolate's JavaScript heap. */
  heapBytes(): Promise<number>;
  /**
   * Resolves after a garbage collection. The isolate handles it only when it next works, so `poke` triggers some work.
   */
  collectGarbage(poke?: () => Promise<unknown>): Promise<void>;
  /** The execution context of the Worker's code, for `Runtime.evaluate`. */
  readonly contextId: number;
  /** Any call of the protocol. Throws if it is rejected. */
  readonly send: (method: string, params?: object) => Promise<Record<string, unknown>>;
  /** Events of the isolate, from now on. */
  on(event: string, listener: (params: Record<string, unknown>) => void): void;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

/** Connects to a Worker by name. Throws if the inspector does not list it. */
export async function connectInspector(port: number, worker: string): Promise<Inspector> {
  const response = await fetch(`http://127.0.0.1:${port}/json`);
  const targets = (await response.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find(({ id, webSocketDebuggerUrl }) =>
    [id, webSocketDebuggerUrl].some((text) => new RegExp(`(^|[:/-])${worker}$`).test(text)),
  );
  if (target === undefined) {
    throw new Error(`The inspector lists ${JSON.stringify(targets)}, not "${worker}".`);
  }
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () =>
      reject(new Error("The inspector refused the connection.")),
    );
  });
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Map<string, (params: Record<string, unknown>) => void>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    } else if (message.method !== undefined) {
      listeners.get(message.method)?.(message.params ?? {});
    }
  });
  const send: Inspector["send"] = (method, params) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, ({ result, error }) => {
        if (error === undefined) {
          resolve(result ?? {});
        } else {
          reject(new Error(`The inspector refused ${method}: ${error.message}`));
        }
      });
      socket.send(JSON.stringify({ id: lastId, method, params }));
    });
  let contextId: unknown;
  listeners.set("Runtime.executionContextCreated", ({ context }) => {
    contextId ??= (context as { id: number }).id;
  });
  await send("Runtime.enable");
  return {
    async heapBytes() {
      const { usedSize } = await send("Runtime.getHeapUsage");
      if (typeof usedSize !== "number") {
        throw new Error("The inspector returned no heap usage.");
      }
      return usedSize;
    },
    async collectGarbage(poke) {
      let isDone = false;
      void send("HeapProfiler.collectGarbage").then(() => {
        isDone = true;
      });
      for (let tries = 0; tries < 100; tries += 1) {
        await poke?.();
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (isDone) {
          return;
        }
      }
      throw new Error("The isolate did not collect its garbage within 2 s.");
    },
    contextId: Number(contextId),
    send,
    on: (event, listener) => void listeners.set(event, listener),
    close: () => socket.close(),
  };
}

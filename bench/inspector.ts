/** The few calls of the debugger's protocol that tell the size of a Worker's heap. */

export interface Inspector {
  /** Bytes in use on the JavaScript heap of the isolate. */
  heapBytes(): Promise<number>;
  /** Bytes that the isolate really holds: its heap and its buffers, garbage gone; `poke` as below. */
  liveBytes(poke?: () => Promise<unknown>): Promise<number>;
  /** Resolves once it has happened. The isolate attends to it only when it next works, so `poke` gives it some. */
  collectGarbage(poke?: () => Promise<unknown>): Promise<void>;
  close(): void;
}

/** Connects to a Worker by name. Throws when the inspector lists no such Worker. */
export async function connectInspector(port: number, worker: string): Promise<Inspector> {
  const answer = await fetch(`http://127.0.0.1:${port}/json`);
  const targets = (await answer.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find(({ id, webSocketDebuggerUrl }) =>
    [id, webSocketDebuggerUrl].some((text) => new RegExp(`(^|[:/-])${worker}$`).test(text)),
  );
  if (target === undefined) {
    throw new Error(`The inspector lists ${JSON.stringify(targets)}, and no "${worker}".`);
  }
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () =>
      reject(new Error("The inspector refused the connection.")),
    );
  });
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
    if (message.id !== undefined) {
      waiting.get(message.id)?.(message.result ?? {});
      waiting.delete(message.id);
    }
  });
  const send = (method: string): Promise<Record<string, unknown>> =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      socket.send(JSON.stringify({ id: lastId, method }));
    });
  await send("Runtime.enable");
  const inspector: Inspector = {
    async heapBytes() {
      const { usedSize } = await send("Runtime.getHeapUsage");
      if (typeof usedSize !== "number") {
        throw new Error("The inspector gave no heap usage.");
      }
      return usedSize;
    },
    async liveBytes(poke) {
      // Asked for in one breath: between two questions a busy isolate would make new garbage.
      const collected = inspector.collectGarbage(poke);
      const { usedSize, backingStorageSize } = await send("Runtime.getHeapUsage");
      await collected;
      if (typeof usedSize !== "number" || typeof backingStorageSize !== "number") {
        throw new Error("The inspector gave no size of buffers.");
      }
      return usedSize + backingStorageSize;
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
    close: () => socket.close(),
  };
  return inspector;
}

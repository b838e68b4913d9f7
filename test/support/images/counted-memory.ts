/**
 * Counts the memory of pictures' codecs and all buffers while a node works: for a test file in a process of its own, because it wraps
 * `WebAssembly`. Every so many calls of a codec, what is live is measured after a garbage collection.
 */
import { liveBuffers } from "../datasets/live-bytes.ts";

let memories: WeakRef<WebAssembly.Memory>[] = [];
const { Instance, Memory } = WebAssembly;

/** Told of each call of an exported function. */
let onCall: () => void = () => undefined;

function watched(exports: WebAssembly.Exports): WebAssembly.Exports {
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      typeof value === "function"
        ? (...given: unknown[]) => {
            onCall();
            // oxlint-disable-next-line typescript/no-unsafe-return -- numbers, as the module returns them
            return (value as (...all: unknown[]) => never)(...given);
          }
        : value,
    ]),
  );
}

/** From now on each memory is counted, and each call of an instance's functions is seen. */
export function watchCodecs(): void {
  Object.assign(WebAssembly, {
    Memory: new Proxy(Memory, {
      construct: (target, given) => {
        const memory = Reflect.construct(target, given) as WebAssembly.Memory;
        memories.push(new WeakRef(memory));
        return memory;
      },
    }),
    Instance: new Proxy(Instance, {
      construct: (target, given) => {
        const { exports } = Reflect.construct(target, given) as WebAssembly.Instance;
        return { exports: watched(exports) };
      },
    }),
  });
}

function heldBytes(): number {
  const codecs = memories.reduce((sum, one) => sum + (one.deref()?.buffer.byteLength ?? 0), 0);
  return codecs + liveBuffers();
}

/** A turn of the event loop, without which no memory of a finished codec is seen as gone. */
async function settled(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  liveBuffers();
  await new Promise((resolve) => setTimeout(resolve, 0));
  memories = memories.filter((memory) => memory.deref() !== undefined);
  return heldBytes();
}

/** The most that is live over what was before, in bytes; `work` may measure by itself, too. */
export async function mostHeld(
  work: (measure: () => void) => Promise<unknown>,
  everyCalls = 400,
): Promise<number> {
  const before = await settled();
  let most = 0;
  let calls = 0;
  const measure = () => {
    most = Math.max(most, heldBytes() - before);
  };
  onCall = () => {
    if (calls++ % everyCalls === 0) {
      measure();
    }
  };
  try {
    await work(measure);
  } finally {
    onCall = () => undefined;
  }
  return most;
}

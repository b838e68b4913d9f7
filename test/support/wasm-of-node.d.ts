/** The parts of WebAssembly that our modules use: the types of Node have none of its classes, the Worker's types do. */
declare namespace WebAssembly {
  type ImportValue = ((...values: never[]) => unknown) | Memory | Table | number;
  type Imports = Record<string, Record<string, ImportValue>>;
  type Exports = Record<string, unknown>;

  class Module {
    constructor(bytes: Uint8Array);
    static exports(module: Module): { readonly name: string; readonly kind: string }[];
    static imports(module: Module): { module: string; name: string; kind: string }[];
  }

  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }

  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Table {
    get(index: number): unknown;
    set(index: number, value: unknown): void;
    readonly length: number;
  }

  class RuntimeError extends Error {}
}

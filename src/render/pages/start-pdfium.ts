type Pointer = number;

/** The functions that are called in @hyzyla/pdfium's wasm (PDFium's public C interface, with pointers as numbers). */
export interface Pdfium {
  readonly memory: WebAssembly.Memory;
  malloc(bytes: number): Pointer;
  free(at: Pointer): void;
  FPDF_InitLibrary(): void;
  FPDF_LoadMemDocument(data: Pointer, length: number, password: Pointer): Pointer;
  FPDF_CloseDocument(document: Pointer): void;
  FPDF_GetPageCount(document: Pointer): number;
  FPDF_LoadPage(document: Pointer, index: number): Pointer;
  FPDF_ClosePage(page: Pointer): void;
  FPDF_GetPageWidthF(page: Pointer): number;
  FPDF_GetPageHeightF(page: Pointer): number;
  FPDFBitmap_CreateEx(
    width: number,
    height: number,
    format: number,
    buffer: Pointer,
    stride: number,
  ): Pointer;
  FPDFBitmap_FillRect(
    bitmap: Pointer,
    left: number,
    top: number,
    width: number,
    height: number,
    color: number,
  ): void;
  FPDFBitmap_Destroy(bitmap: Pointer): void;
  /** Limits the whole memory, and forgets refusals. */
  setMemoryMax(bytes: number): void;
  /** Whether an allocation failed for the limit. */
  wasRefusedMemory(): boolean;
  FPDF_RenderPageBitmap(
    bitmap: Pointer,
    page: Pointer,
    startX: number,
    startY: number,
    sizeX: number,
    sizeY: number,
    rotate: number,
    flags: number,
  ): void;
}

interface Internals extends Omit<Pdfium, "setMemoryMax" | "wasRefusedMemory"> {
  readonly __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  setThrew(threw: number, value: number): void;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(at: number): void;
}

const PAGE_BYTES = 65_536;
/** WASI: not a file that is open. Emscripten's system calls: no such file. */
const EBADF = 8;
const ENOENT = -44;

/** What emscripten throws through wasm for C's longjmp. */
const LONGJMP = Symbol("longjmp");

/**
 * Instantiates PDFium without the package's glue code, which reads files and fetches. There are no files, no
 * environment and no clock. Beyond the limit of its memory allocations fail, and PDFium stops with WebAssembly.RuntimeError or goes
 * on without what it wanted to allocate.
 */
export function startPdfium(module: WebAssembly.Module): Pdfium {
  let memoryMaxBytes = Number.POSITIVE_INFINITY;
  let wasRefused = false;
  const stop = (): never => {
    throw new WebAssembly.RuntimeError("PDFium stopped.");
  };
  const invoke = (index: number, ...given: number[]): unknown => {
    const stack = exports.emscripten_stack_get_current();
    try {
      return (exports.__indirect_function_table.get(index) as (...all: number[]) => unknown)(
        ...given,
      );
    } catch (thrown) {
      exports._emscripten_stack_restore(stack);
      if (thrown !== LONGJMP) {
        throw thrown;
      }
      exports.setThrew(1, 0);
      return 0;
    }
  };
  const own: Record<string, (...given: number[]) => unknown> = {
    _abort_js: stop,
    _emscripten_throw_longjmp: () => {
      // oxlint-disable-next-line no-throw-literal -- recognized by identity on its way through wasm
      throw LONGJMP;
    },
    emscripten_date_now: () => 0,
    emscripten_resize_heap: (bytes = 0) => {
      const { memory } = exports;
      const wanted = bytes >>> 0;
      if (wanted > memoryMaxBytes) {
        wasRefused = true;
        return 0;
      }
      memory.grow(Math.ceil((wanted - memory.buffer.byteLength) / PAGE_BYTES));
      return 1;
    },
    environ_sizes_get: (count = 0, size = 0) => {
      const view = new DataView(exports.memory.buffer);
      view.setUint32(count, 0, true);
      view.setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
  };
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const known = own[name] ?? (name.startsWith("invoke_") ? invoke : unavailable(name));
    (imports[from] ??= {})[name] = known;
  }
  // The exports of a wasm module are untyped; the module is a pinned file.
  const exports = new WebAssembly.Instance(module, imports).exports as unknown as Internals;
  exports.__wasm_call_ctors();
  exports.FPDF_InitLibrary();
  return {
    ...exports,
    setMemoryMax: (bytes) => {
      memoryMaxBytes = bytes;
      wasRefused = false;
    },
    wasRefusedMemory: () => wasRefused,
  };
}

function unavailable(name: string): () => number {
  return () => (name.startsWith("fd_") ? EBADF : name.startsWith("__syscall") ? ENOENT : 0);
}

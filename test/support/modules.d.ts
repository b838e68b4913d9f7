declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*.sql" {
  const text: string;
  export default text;
}

// Runs after `npm install` and `npm ci`, so that the first start finds the browser code built (docs/decisions/browser-code.md).
// Never fails an install: the first start builds what is missing, and reports an error where somebody reads it.
try {
  const { bringUpWeb } = await import("./web-files.ts");
  await bringUpWeb();
} catch {
  // An older Node, or a folder that cannot be written.
}

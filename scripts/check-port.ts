import { createServer } from "node:net";

/** Resolves if the port of 127.0.0.1 is free. Otherwise throws an error with a remedy. */
export function checkPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new Error(
              `Port ${port} is in use by another process. Choose another with --port, or stop the process.`,
            )
          : error,
      );
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
  });
}

import { createServer } from "node:net";

/** Resolves when the port of 127.0.0.1 can be listened on. Throws a message that says what to do when not. */
export function checkPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new Error(
              `Port ${port} is taken by another process: choose one with --port, or stop it.`,
            )
          : error,
      );
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
  });
}

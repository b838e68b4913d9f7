/** The first place that has the program: unpacked into `BENCH_REDIS` or beside this file, on the path, or of the system's PostgreSQL. */
export function findProgram(name: string): string | undefined;
/** For unpacked programs, which find their libraries there. */
export const LIBRARIES: Readonly<Record<string, string>>;

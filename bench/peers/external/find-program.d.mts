/** The first place that has the program: on the path, of the system's PostgreSQL, or unpacked beside this file. */
export function findProgram(name: string): string | undefined;
/** For programs unpacked beside this file, which find their libraries there. */
export const LIBRARIES: Readonly<Record<string, string>>;

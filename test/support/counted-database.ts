/** A database that records the texts of the statements that are prepared for it. */
export function counted(db: D1Database): { readonly db: D1Database; readonly texts: string[] } {
  const texts: string[] = [];
  const prepare = (text: string) => {
    texts.push(text);
    return db.prepare(text);
  };
  return {
    db: new Proxy(db, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        return name === "prepare"
          ? prepare
          : typeof member === "function"
            ? member.bind(target)
            : member;
      },
    }),
    texts,
  };
}

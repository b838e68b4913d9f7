/**
 * The base class of objects as workerd gives it, for a build of an object that runs in Node: it keeps
 * what it is given.
 */
export class DurableObject<Context, Env> {
  protected readonly ctx: Context;
  protected readonly env: Env;

  constructor(ctx: Context, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

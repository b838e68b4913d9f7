/** workerd's base class of objects, for a build of an object that runs in Node: it stores its arguments. */
export class DurableObject<Context, Env> {
  protected readonly ctx: Context;
  protected readonly env: Env;

  constructor(ctx: Context, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

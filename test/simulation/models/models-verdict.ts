/** How a run went whose tasks ask models of providers that lie. */
export interface ModelsVerdict {
  /** The first problem, undefined if there was none. */
  readonly problem: string | undefined;
  readonly status: string;
  /** Calls that a provider was asked for, and those that it carried out twice. */
  readonly calls: number;
  readonly doubles: number;
  /** Milli-credits that the run was charged. */
  readonly charged: number;
  /** What the providers and workers did, for tests that must see enough of it. */
  readonly seen: ReadonlySet<string>;
}

/**
 * A Durable Object binding, typed by the contract of its objects. The contract replaces the class: the platform's own
 * type needs the class, so every module that uses a binding would import it, and its mapped types make the checker give
 * up ("excessively deep").
 */
export interface ObjectNamespace<Api> {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): Api;
}

/**
 * A binding of objects, by what they offer to callers. The contract stands for the objects' classes:
 * the platform's own type is made from a class, so every module that names a binding would import it,
 * and it wraps each member in mapped types that the checker gives up on ("excessively deep").
 */
export interface ObjectNamespace<Api> {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): Api;
}

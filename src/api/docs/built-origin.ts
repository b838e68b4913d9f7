/** In place of the service's address in the built OpenAPI document: a host that cannot exist (RFC 6761). */
export const BUILT_ORIGIN = "https://this-service.invalid";

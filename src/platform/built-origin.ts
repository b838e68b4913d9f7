/** In place of the service's address in built texts: a host that cannot exist (RFC 6761). */
export const BUILT_ORIGIN = "https://this-service.invalid";

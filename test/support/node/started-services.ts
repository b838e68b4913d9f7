/** Origins of the services that this process has started and seen ready. */
export const startedServices = new Set<string>();

/** Origins of the services that this process has started and that are ready. */
export const startedServices = new Set<string>();

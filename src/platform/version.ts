/** Version of the service, from package.json; a test compares the two. */
export const VERSION = "0.1.0";

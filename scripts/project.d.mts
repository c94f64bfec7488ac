/** Flags of the runtime that the server is started with. */
export const serverFlags: readonly string[];

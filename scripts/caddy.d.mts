/** Finds Caddy, or fetches it; throws with one clear sentence when neither is possible. */
export function ensureCaddy(): Promise<string>;

import { vi } from 'vitest';
import type { OAuth2Server } from 'oauth2-mock-server';

const GOOGLE = 'https://accounts.google.com';

/** What this process asks of Google is asked of the stand-in at that address, until mocks are restored. */
export function askInsteadOfGoogle(standIn: string): void {
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.startsWith(GOOGLE) ? real(url.replace(GOOGLE, standIn), init) : real(input, init);
  });
}

/** Starts the server as Google itself. */
export async function startAsGoogle(server: OAuth2Server): Promise<void> {
  await server.start(0, 'localhost');
  askInsteadOfGoogle(server.issuer.url ?? '');
  server.issuer.url = GOOGLE;
}

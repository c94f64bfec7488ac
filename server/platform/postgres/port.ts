import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

function listenOn(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

export function rememberedPort(file: string): number | undefined {
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}

/** The port of the last start if it is still free, else another one. */
export async function choosePort(file: string): Promise<number> {
  const before = rememberedPort(file);
  const port = (before && (await listenOn(before))) || (await listenOn(0));
  if (!port) throw new Error('No free port was found on 127.0.0.1.');
  if (port !== before) writeFileSync(file, `${port}\n`);
  return port;
}

import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server before another one, so that a test can do something while an answer is on its way. */
export interface Gate {
  url: string;
  /** Done once, after the server has answered and before anybody hears it. */
  beforeAnswer: (() => Promise<unknown>) | null;
  /** What is asked with this in its address fails from now on. */
  broken: string | null;
  close(): Promise<void>;
}

export async function startGate(target: string): Promise<Gate> {
  const server = createServer((asked, reply) => {
    const { method, url = '/', headers } = asked;
    if (gate.broken !== null && url.includes(gate.broken)) {
      reply.writeHead(500).end();
      return;
    }
    const onward = request(new URL(url, target), { method, headers });
    onward.on('error', () => reply.destroy());
    onward.on('response', (answer: IncomingMessage) => {
      const before = gate.beforeAnswer;
      gate.beforeAnswer = null;
      void (before?.() ?? Promise.resolve()).then(() => {
        reply.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(reply);
      });
    });
    asked.pipe(onward);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const gate: Gate = {
    url: `http://127.0.0.1:${port}`,
    beforeAnswer: null,
    broken: null,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return gate;
}

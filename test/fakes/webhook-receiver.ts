import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * `hang` never answers, `cut` closes the line, `garbage` is no HTTP, `endless` answers 200 and sends its body slowly and for
 * ever, `broken` answers 200 and closes the line within its body.
 */
export type Answer =
  | { status: number; headers?: Record<string, string>; body?: string }
  | 'hang'
  | 'cut'
  | 'garbage'
  | 'endless'
  | 'broken';

/** A business's endpoint: keeps what it gets and answers what the test says. */
export interface WebhookReceiver {
  url: string;
  received: Received[];
  /** What the next answers are, until told otherwise. */
  answerWith(answer: Answer): void;
  /** Resolves when at least that many have come: sooner, by default, than the end of a lease (22 s) would bring them. */
  waitFor(count: number, timeoutMs?: number): Promise<Received[]>;
  /** Answers those whom `hang` left without an answer. */
  answerHanging(status: number): void;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** @param onReceived is told of each webhook as it comes */
export async function startWebhookReceiver(
  onReceived: (one: Received) => void = () => {},
): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let answer: Answer = { status: 204 };
  const dripping = new Set<NodeJS.Timeout>();
  const hanging = new Set<ServerResponse>();
  let wake: () => void = () => {};
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const headers = request.headers as Record<string, string>;
      const one = { path: request.url ?? '', headers, body };
      received.push(one);
      onReceived(one);
      wake();
      if (answer === 'hang') hanging.add(response);
      else if (answer === 'cut') request.socket.destroy();
      else if (answer === 'garbage') request.socket.end('This is not HTTP\r\n\r\n');
      else if (answer === 'endless') {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const drip = setInterval(() => response.write('.'), 20);
        dripping.add(drip);
        response.on('close', () => clearInterval(drip));
      } else if (answer === 'broken') {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => request.socket.destroy());
      } else response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith(next) {
      answer = next;
    },
    async waitFor(count, timeoutMs = 20_000) {
      const deadline = Date.now() + timeoutMs;
      while (received.length < count) {
        const left = deadline - Date.now();
        if (left <= 0)
          throw new Error(`Only ${received.length} of ${count} webhooks came in ${timeoutMs} ms`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return received;
    },
    answerHanging(status) {
      for (const response of hanging) response.writeHead(status).end();
      hanging.clear();
    },
    async close() {
      for (const drip of dripping) clearInterval(drip);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What a receiver does with a line on which a request is coming in. */
type Misbehave = (socket: Socket) => void;

export interface MisbehavingReceiver {
  /** With the scheme that the case is about. */
  url: string;
  /** Lines that are open now. */
  open: ReadonlySet<Socket>;
  /** What it has got rid of, of all its lines. */
  sentBytes(): number;
  close(): Promise<void>;
}

export async function startReceiver(misbehave: Misbehave, scheme = 'http'): Promise<MisbehavingReceiver> {
  const open = new Set<Socket>();
  let closedBytes = 0;
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      closedBytes += socket.bytesWritten;
    });
    misbehave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    open,
    sentBytes: () => [...open].reduce((sum, socket) => sum + socket.bytesWritten, closedBytes),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits for the request's headers (and the body's beginning), so that what it does is an answer. */
export function onRequest(answer: Misbehave): Misbehave {
  return (socket) => void socket.once('data', () => answer(socket));
}

/** Sends the same piece again and again, with a pause between. */
export function drip(socket: Socket, piece: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Sends the same piece as fast as the other side takes it, and never ends. */
export function pour(socket: Socket, piece: string): void {
  const go = () => {
    while (!socket.destroyed && socket.write(piece));
    socket.once('drain', () => setImmediate(go));
  };
  go();
}

const OK = 'HTTP/1.1 200 OK\r\n';

export type Outcome = 'timeout' | 'unreachable' | 'too_large' | number;

/** What a receiver on the internet may do instead of answering, and what comes of it. */
export const MISBEHAVIOURS: readonly {
  name: string;
  misbehave: Misbehave;
  outcome: Outcome;
  /** What comes of it where only the status of the answer counts; absent: the same. */
  byStatus?: number;
  scheme?: 'https';
}[] = [
  { name: 'never answers', misbehave: () => {}, outcome: 'timeout' },
  { name: 'never reads the request', misbehave: (socket) => socket.pause(), outcome: 'timeout' },
  { name: 'closes at once', misbehave: (socket) => socket.end(), outcome: 'unreachable' },
  {
    name: 'closes after the request',
    misbehave: onRequest((socket) => socket.end()),
    outcome: 'unreachable',
  },
  {
    name: 'resets after the request',
    misbehave: onRequest((socket) => socket.resetAndDestroy()),
    outcome: 'unreachable',
  },
  {
    name: 'resets within the answer',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}content-length: 100\r\n\r\nhalf`, () => socket.resetAndDestroy());
    }),
    outcome: 'unreachable',
    byStatus: 200,
  },
  {
    name: 'answers 101 and keeps the line',
    misbehave: onRequest((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    ),
    outcome: 'unreachable',
  },
  {
    name: 'answers 101 without an upgrade header',
    misbehave: onRequest((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')),
    outcome: 'unreachable',
  },
  {
    name: 'answers 101 and pours',
    misbehave: onRequest((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      pour(socket, 'x'.repeat(16_384));
    }),
    outcome: 'unreachable',
  },
  {
    name: 'answers 200 as an upgrade',
    misbehave: onRequest((socket) => socket.write(`${OK}connection: upgrade\r\nupgrade: websocket\r\n\r\n`)),
    outcome: 'timeout',
    byStatus: 200,
  },
  {
    name: 'says 100 Continue for ever',
    misbehave: onRequest((socket) => drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n')),
    outcome: 'timeout',
  },
  {
    name: 'pours 103 Early Hints',
    misbehave: onRequest((socket) =>
      pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(100)),
    ),
    outcome: 'too_large',
  },
  {
    name: 'drips its status line',
    misbehave: onRequest((socket) => {
      const rest = [...OK];
      const timer = setInterval(() => socket.write(rest.shift() ?? ''), 200);
      socket.on('close', () => clearInterval(timer));
    }),
    outcome: 'timeout',
  },
  {
    name: 'drips headers',
    misbehave: onRequest((socket) => {
      socket.write(OK);
      drip(socket, 'x: y\r\n');
    }),
    outcome: 'timeout',
  },
  {
    name: 'pours headers',
    misbehave: onRequest((socket) => {
      socket.write(OK);
      pour(socket, 'x-header: y\r\n'.repeat(1000));
    }),
    outcome: 'unreachable',
  },
  {
    name: 'sends one header without an end',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}x-header: `);
      pour(socket, 'y'.repeat(16_384));
    }),
    outcome: 'unreachable',
  },
  {
    name: 'drips its body',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}content-length: 100000\r\n\r\n`);
      drip(socket, '.');
    }),
    outcome: 'timeout',
    byStatus: 200,
  },
  {
    name: 'announces more than it sends',
    misbehave: onRequest((socket) => socket.write(`${OK}content-length: 1000\r\n\r\nless`)),
    outcome: 'timeout',
    byStatus: 200,
  },
  {
    name: 'announces more than it sends, and closes',
    misbehave: onRequest((socket) => socket.end(`${OK}content-length: 1000\r\n\r\nless`)),
    outcome: 'unreachable',
    byStatus: 200,
  },
  {
    name: 'pours a body without a length',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}connection: close\r\n\r\n`);
      pour(socket, 'x'.repeat(16_384));
    }),
    outcome: 'too_large',
    byStatus: 200,
  },
  {
    name: 'drips chunks for ever',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      drip(socket, '1\r\n.\r\n');
    }),
    outcome: 'timeout',
    byStatus: 200,
  },
  {
    name: 'pours chunks',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      pour(socket, `3e8\r\n${'x'.repeat(1000)}\r\n`);
    }),
    outcome: 'too_large',
    byStatus: 200,
  },
  {
    name: 'pours extensions of chunks',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      pour(socket, `1;${'e'.repeat(8000)}\r\n.\r\n`);
    }),
    outcome: 'too_large',
    byStatus: 200,
  },
  {
    name: 'sends a chunk whose size is no number',
    misbehave: onRequest((socket) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nx\r\n`)),
    outcome: 'unreachable',
    byStatus: 200,
  },
  {
    name: 'sends a chunk of an enormous size',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\nfffffffffff\r\n`);
      pour(socket, 'x'.repeat(16_384));
    }),
    outcome: 'too_large',
    byStatus: 200,
  },
  {
    name: 'never ends its trailers',
    misbehave: onRequest((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n`);
      drip(socket, 'x: y\r\n');
    }),
    outcome: 'timeout',
    byStatus: 200,
  },
  {
    name: 'says both a length and chunks',
    misbehave: onRequest((socket) =>
      socket.write(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ),
    outcome: 'unreachable',
  },
  {
    name: 'speaks another protocol',
    misbehave: (socket) => socket.write('220 mail.example ESMTP ready\r\n'),
    outcome: 'unreachable',
  },
  {
    name: 'sends zero bytes and noise',
    misbehave: (socket) => socket.write(Buffer.alloc(4096)),
    outcome: 'unreachable',
  },
  {
    name: 'answers early and never reads the rest',
    misbehave: (socket) => {
      socket.pause();
      socket.write(`${OK}content-length: 2\r\n\r\nok`);
    },
    outcome: 200,
  },
  {
    name: 'answers twice',
    misbehave: onRequest((socket) =>
      socket.write(`${OK}content-length: 2\r\n\r\nok${OK}content-length: 4\r\n\r\nfake`),
    ),
    outcome: 200,
  },
  {
    name: 'redirects to itself, slowly',
    misbehave: onRequest((socket) => {
      const timer = setTimeout(
        () => socket.end('HTTP/1.1 302 Found\r\nlocation: /hook\r\ncontent-length: 0\r\n\r\n'),
        100,
      );
      socket.on('close', () => clearTimeout(timer));
    }),
    outcome: 302,
  },
  { name: 'never shakes hands in TLS', misbehave: () => {}, outcome: 'timeout', scheme: 'https' },
  {
    name: 'drips its TLS handshake',
    misbehave: (socket) => {
      // A handshake record that announces 16,000 bytes.
      socket.write(Buffer.from([22, 3, 3, 0x3e, 0x80, 2, 0, 0x3e, 0x7c]));
      drip(socket, '\u0003');
    },
    outcome: 'timeout',
    scheme: 'https',
  },
  {
    name: 'answers plain text where TLS was asked for',
    misbehave: onRequest((socket) => socket.write(`${OK}content-length: 2\r\n\r\nok`)),
    outcome: 'unreachable',
    scheme: 'https',
  },
];

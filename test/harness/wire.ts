import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What is sent in one go and answered in one go. */
export interface Message {
  /** As they are on the wire, with their parameters. */
  statements: string[];
}

/** A line to PostgreSQL on which every message is counted. */
export interface Wire {
  /** The address of the database by this line. */
  url: string;
  /** The messages about a site since the last call: its transactions as a whole, and others that name it. */
  take(siteId: string): Message[];
  /** Cuts all lines and takes no more of them: the database is away. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

interface Line {
  siteId: string | null;
}

const HEADER_BYTES = 5;

/** The texts between what the protocol adds to them. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', ' ').trim();
}

/** Splits what a client sends into messages: a simple query, or all up to a Sync. */
function createReader(onMessage: (message: Message) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  let pending: string[] = [];
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The first message has no type.
      const offset = isStarted ? 1 : 0;
      if (rest.length < HEADER_BYTES) return;
      const length = offset + rest.readUInt32BE(offset);
      if (rest.length < length) return;
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : '';
      const text = textOf(rest.subarray(offset + 4, length));
      rest = rest.subarray(length);
      isStarted = true;
      if (type === 'Q') onMessage({ statements: text.split(';\n') });
      if (type === 'P' || type === 'B') pending.push(text);
      if (type === 'S') {
        onMessage({ statements: [pending.join(' ')] });
        pending = [];
      }
    }
  };
}

function isPrepare({ statements: [first = ''] }: Message): boolean {
  return first.startsWith('prepare ');
}

/** @param url of the database itself, over TCP */
export async function openWire(url: string): Promise<Wire> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let taken: { siteId: string; message: Message }[] = [];

  /** A transaction is one of a site from the statement that says so to its end. */
  function note(transport: Line, message: Message): void {
    // Once for each connection and statement, on the way of the next message.
    if (isPrepare(message)) return;
    const text = message.statements.join('\n');
    const [, begun] = /app\.site_id = '([^']+)'/.exec(text) ?? [];
    const siteId = begun ?? transport.siteId;
    if (siteId !== null) taken.push({ siteId, message });
    else taken.push({ siteId: text, message });
    const isOver = /^(commit|rollback)$/.test(message.statements.at(-1) ?? '');
    transport.siteId = isOver ? null : siteId;
  }

  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    const transport: Line = { siteId: null };
    const read = createReader((message) => note(transport, message));
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
    socket.on('data', (chunk: Buffer) => {
      read(chunk);
      upstream.write(chunk);
    });
    upstream.pipe(socket);
  });
  async function cut(): Promise<void> {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    take(siteId) {
      const found = taken.filter((one) => one.siteId.includes(siteId));
      taken = [];
      return found.map(({ message }) => message);
    },
    cut,
    mend: () => listen(Number(through.port)),
    close: cut,
  };
}

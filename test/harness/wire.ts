import { setTimeout as sleep } from 'node:timers/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What is sent without waiting for an answer in between, and answered together. */
export interface RoundTrip {
  /** As they are on the wire, with their parameters. */
  statements: string[];
}

/** A connection to PostgreSQL on which every round trip is counted. */
export interface Wire {
  /** The address of the database by this line. */
  url: string;
  /** The round trips of a site since the last call: its transactions as a whole, and others that name it. */
  take(siteId: string): Promise<RoundTrip[]>;
  /** Cuts all lines and takes no more of them: the database is away. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

const HEADER_BYTES = 5;

/** A client that is still sending has waited for nothing yet. */
const HELD_MS = 15;

/** The texts between what the protocol adds to them. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', ' ').trim();
}

/** Splits what comes into messages of the protocol. @param isTyped false: the first message has no type */
export function createReader(
  onMessage: (type: string, body: Buffer) => void,
  { isTyped }: { isTyped: boolean },
) {
  let rest = Buffer.alloc(0);
  let offset = isTyped ? 1 : 0;
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < HEADER_BYTES) return;
      const length = offset + rest.readUInt32BE(offset);
      if (rest.length < length) return;
      onMessage(offset === 0 ? '' : String.fromCharCode(rest[0] ?? 0), rest.subarray(offset + 4, length));
      rest = rest.subarray(length);
      offset = 1;
    }
  };
}

/** Passes on what both sides send; answers go back together, once all that was asked is answered. */
function relay(client: Socket, upstream: Socket, onRoundTrip: (roundTrip: RoundTrip) => void): void {
  const parts: string[] = [];
  let statements: string[] = [];
  let unanswered = 0;
  let held: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;

  const asked = createReader(
    (type, body) => {
      if (type === 'P' || type === 'B') parts.push(textOf(body));
      if (type === 'S') statements.push(parts.splice(0).join(' '));
      if (type === 'Q') statements.push(textOf(body));
      if (type === '' || type === 'S' || type === 'Q') unanswered += 1;
    },
    { isTyped: false },
  );
  // ReadyForQuery: what was asked up to a Sync, or by a simple query, is answered.
  const answered = createReader((type) => void (unanswered -= type === 'Z' ? 1 : 0), { isTyped: true });

  function pass(): void {
    if (statements.length > 0) onRoundTrip({ statements });
    statements = [];
    client.write(Buffer.concat(held));
    held = [];
  }

  function settle(): void {
    clearTimeout(timer);
    if (held.length > 0 && unanswered === 0) timer = setTimeout(pass, HELD_MS);
  }

  client.on('data', (chunk: Buffer) => {
    asked(chunk);
    upstream.write(chunk);
    settle();
  });
  upstream.on('data', (chunk: Buffer) => {
    const isStarting = unanswered > 0 && statements.length === 0;
    answered(chunk);
    // A start is a dialogue about the password.
    if (isStarting) client.write(chunk);
    else held.push(chunk);
    settle();
  });
  client.on('close', () => clearTimeout(timer));
}

/** When one side goes, the other goes. @param open all that are open */
export function endTogether(open: Set<Socket>, one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    open.add(from);
    from.on('error', () => {});
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  }
}

/** @param url of the database itself, over TCP */
export async function openWire(url: string): Promise<Wire> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let taken: { siteId: string; roundTrip: RoundTrip }[] = [];

  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    let siteId: string | null = null;
    // A transaction is one of a site from the statement that says so to its end.
    relay(socket, upstream, (roundTrip) => {
      const text = roundTrip.statements.join('\n');
      const [, begun] = /app\.site_id = '([^']+)'/.exec(text) ?? [];
      siteId = begun ?? siteId;
      taken.push({ siteId: siteId ?? text, roundTrip });
      if (/^(commit|rollback)$/.test(roundTrip.statements.at(-1) ?? '')) siteId = null;
    });
    endTogether(open, socket, upstream);
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
    async take(siteId) {
      await sleep(2 * HELD_MS);
      const found = taken.filter((one) => one.siteId.includes(siteId));
      taken = [];
      return found.map(({ roundTrip }) => roundTrip);
    },
    cut,
    mend: () => listen(Number(through.port)),
    close: cut,
  };
}

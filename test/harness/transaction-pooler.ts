import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { createReader } from './wire.ts';

/** A pooler that gives each transaction whichever of its connections is free, as PgBouncer does in transaction mode. */
export interface TransactionPooler {
  url: string;
  close(): Promise<void>;
}

const CONNECTIONS = 3;

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const IDLE = Buffer.from('I');

/** The driver makes the connection, with its password; from then on its bytes are passed on. */
async function connectionTo(url: string): Promise<Socket> {
  const client = new pg.Client({ connectionString: url }) as pg.Client & { connection: pg.Connection };
  client.on('error', () => {});
  await client.connect();
  return client.connection.stream.removeAllListeners('data') as Socket;
}

export async function openTransactionPooler(url: string): Promise<TransactionPooler> {
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => connectionTo(url)));
  const connections = [...free];
  const clients = new Set<Socket>();

  function lend(client: Socket): Socket {
    const lent = free.pop();
    if (lent === undefined) throw new Error('All connections of the pooler are in a transaction');
    const answered = createReader(
      (type, body) => {
        client.write(message(type, body));
        if (type !== 'Z' || !body.equals(IDLE)) return;
        lent.removeAllListeners('data');
        lentTo.delete(client);
        free.push(lent);
      },
      { isTyped: true },
    );
    lent.on('data', answered);
    lentTo.set(client, lent);
    return lent;
  }

  const lentTo = new Map<Socket, Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    const asked = createReader(
      (type, body) => {
        if (type === '') client.write(Buffer.concat([AUTHENTICATED, message('Z', IDLE)]));
        else if (type === 'X') client.end();
        else (lentTo.get(client) ?? lend(client)).write(message(type, body));
      },
      { isTyped: false },
    );
    client.on('data', asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    async close() {
      for (const socket of [...clients, ...connections]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

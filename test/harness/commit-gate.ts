import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createReader, endTogether } from './wire.ts';

/** Where the talk about a transaction is broken off. */
export interface Break {
  /** The coordinator sends this, and it never reaches the worker. */
  beforeStatement?: RegExp;
  /** The worker has done this (PostgreSQL's command tag), and its answer never reaches the coordinator. */
  afterAnswer?: 'COMMIT' | 'PREPARE TRANSACTION';
  /** Only in a transaction that said something like this. */
  about: RegExp;
}

/** Stands between a coordinator and one of its workers, and knows how far they are with a transaction. */
export interface CommitGate {
  port: number;
  /** Breaks off one transaction. @returns when it has come to that point; what it holds then stays held */
  hold(at: Break): Promise<void>;
  close(): Promise<void>;
}

interface Wanted {
  at: Break;
  found: () => void;
}

const END = /^(commit|rollback)/i;

const textOf = (body: Buffer) => body.toString('utf8').replaceAll('\0', ' ').trim();

/** @param workerPort where the worker listens */
export async function openCommitGate(workerPort: number): Promise<CommitGate> {
  const open = new Set<Socket>();
  let wanted: Wanted | null = null;

  function relay(coordinator: Socket, worker: Socket): void {
    // What was said in each transaction that isn't answered to its end, oldest first: the next one may begin before that.
    let transactions = [''];
    const isHeld = { statements: false, answers: false };

    function holdIf(what: keyof typeof isHeld, isAt: (at: Break) => boolean): void {
      if (wanted === null || !isAt(wanted.at)) return;
      if (!wanted.at.about.test((what === 'answers' ? transactions[0] : transactions.at(-1)) ?? '')) return;
      isHeld[what] = true;
      wanted.found();
      wanted = null;
    }

    const asked = createReader(
      (type, body) => {
        // With a Bind, what a prepared statement is given.
        if (type !== 'Q' && type !== 'P' && type !== 'B') return;
        const statement = textOf(body);
        transactions.push(`${transactions.pop() ?? ''}${statement}\n`);
        holdIf('statements', ({ beforeStatement }) => beforeStatement?.test(statement) === true);
        if (END.test(statement)) transactions.push('');
      },
      { isTyped: false },
    );
    const answered = createReader(
      (type, body) => {
        if (type !== 'C') return;
        const tag = textOf(body);
        holdIf('answers', ({ afterAnswer }) => tag === afterAnswer);
        // What is prepared is committed later, by the same connection.
        if (END.test(tag)) transactions = transactions.length > 1 ? transactions.slice(1) : [''];
      },
      { isTyped: true },
    );
    coordinator.on('data', (chunk: Buffer) => {
      asked(chunk);
      if (!isHeld.statements) worker.write(chunk);
    });
    worker.on('data', (chunk: Buffer) => {
      answered(chunk);
      if (!isHeld.answers) coordinator.write(chunk);
    });
  }

  const server = createServer((coordinator) => {
    const worker = connect(workerPort, '127.0.0.1');
    relay(coordinator, worker);
    endTogether(open, coordinator, worker);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hold: (at) =>
      new Promise((found) => {
        wanted = { at, found };
      }),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { once } from 'node:events';
import type pg from 'pg';

/*
 * COPY as streams with bounded memory, which pg itself does not support. The client must not pipeline, and aborting a
 * statement makes its connection unusable.
 */

interface CopyData {
  chunk: Buffer;
}

/** How much is buffered before the server is paused. */
const READ_AHEAD_BYTES = 1 << 20;

/** The common part of COPY results: each ends once, with or without an error. */
abstract class Copy implements pg.Submittable {
  private readonly text: string;
  protected connection: pg.Connection | null = null;
  private settle: { resolve: () => void; reject: (error: Error) => void };
  readonly ended: Promise<void>;

  constructor(text: string) {
    this.text = text;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended = promise;
    this.settle = { resolve, reject };
    promise.catch(() => {});
  }

  submit(connection: pg.Connection): void {
    this.connection = connection;
    connection.query(this.text);
  }

  abstract handleCopyData(message: CopyData): void;
  abstract handleCopyInResponse(connection: pg.Connection): void;

  handleError(error: Error): void {
    this.settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.settle.resolve();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
}

class CopyOut extends Copy {
  private waiting: Buffer[] = [];
  private bytes = 0;
  private wake: () => void = () => {};

  handleCopyData({ chunk }: CopyData): void {
    // Copy it: the driver reuses the buffer for the next message.
    this.waiting.push(Buffer.from(chunk));
    this.bytes += chunk.length;
    if (this.bytes >= READ_AHEAD_BYTES) this.connection?.stream.pause();
    this.wake();
  }

  handleCopyInResponse(connection: pg.Connection): void {
    connection.sendCopyFail('This statement was expected to give rows');
  }

  /** One row per chunk. */
  async *rows(): AsyncGenerator<readonly Buffer[]> {
    let isOver = false;
    const over = () => {
      isOver = true;
      this.wake();
    };
    this.ended.then(over, over);
    for (;;) {
      const rows = this.waiting;
      this.waiting = [];
      this.bytes = 0;
      if (rows.length > 0) {
        yield rows;
        continue;
      }
      if (isOver) break;
      const woken = new Promise<void>((resolve) => (this.wake = resolve));
      this.connection?.stream.resume();
      await woken;
    }
    await this.ended;
  }
}

class CopyIn extends Copy {
  private readonly source: AsyncIterable<Buffer>;
  private failure: Error | null = null;
  private isRefused = false;

  constructor(text: string, source: AsyncIterable<Buffer>) {
    super(text);
    this.source = source;
  }

  handleCopyData(): void {
    this.failure = new Error('This statement was expected to take rows');
  }

  handleCopyInResponse(connection: pg.Connection): void {
    void this.send(connection);
  }

  override handleError(error: Error): void {
    this.isRefused = true;
    super.handleError(this.failure ?? error);
  }

  private async send(connection: pg.Connection): Promise<void> {
    try {
      for await (const chunk of this.source) {
        if (this.isRefused) return;
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) {
          await Promise.race([once(connection.stream, 'drain'), this.ended]);
        }
      }
      if (!this.isRefused) connection.endCopyFrom();
    } catch (error) {
      if (this.isRefused) return;
      this.failure = error instanceof Error ? error : new Error(String(error));
      connection.sendCopyFail('The rows could not be read');
    }
  }
}

/**
 * The rows of `copy (...) to stdout`, a few at a time, each with its line break.
 * @param client with a connection of its own that does not pipeline
 */
export function copyOut(client: pg.Client, text: string): AsyncGenerator<readonly Buffer[]> {
  const copy = new CopyOut(text);
  client.query(copy);
  return copy.rows();
}

/** Streams `source` to `copy ... from stdin`, and throws its errors. */
export async function copyIn(client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<void> {
  const copy = new CopyIn(text, source);
  client.query(copy);
  await copy.ended;
}

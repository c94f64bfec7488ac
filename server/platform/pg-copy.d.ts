import 'pg';

declare module 'pg' {
  /** COPY support of its connections. */
  interface Connection {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
    sendCopyFail(message: string): void;
  }
}

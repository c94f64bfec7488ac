import 'pg';

declare module 'pg' {
  /** What its connections can do about COPY. */
  interface Connection {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
    sendCopyFail(message: string): void;
  }
}

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A line to a database that can fall silent as if the machine at its other end, or the network between, had vanished:
 * nothing that is sent arrives, nothing is closed, and neither end learns of it.
 */
export interface SilentLine {
  port: number;
  /** From now on nothing passes, not even the end of a connection. What connects meanwhile is never answered. */
  silence(): void;
  /**
   * New connections are answered again. Those of before stay silent, as after a failover to another machine.
   * @param options.isRestarted the same machine is back and knows nothing of them: their ends learn of it
   */
  restore(options?: { isRestarted: boolean }): void;
  close(): Promise<void>;
}

/** @param target where the database listens, on this machine */
export async function openSilentLine(target: number): Promise<SilentLine> {
  const open = new Set<Socket>();
  let silence = new AbortController();

  function relay(from: Socket, to: Socket, silenced: AbortSignal): void {
    open.add(from);
    from.on('error', () => {});
    from.on('data', (chunk: Buffer) => {
      if (!silenced.aborted) to.write(chunk);
    });
    from.on('close', () => {
      open.delete(from);
      if (!silenced.aborted) to.destroy();
    });
  }

  const server = createServer((client) => {
    const { signal } = silence;
    const database = connect(target, '127.0.0.1');
    relay(client, database, signal);
    relay(database, client, signal);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => silence.abort(),
    restore({ isRestarted } = { isRestarted: false }) {
      silence = new AbortController();
      if (isRestarted) for (const socket of open) socket.destroy();
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { createDns } from '#server/platform/dns.ts';
import { serveRequests } from '#server/platform/serve-requests.ts';
import { type ReadEmail, readEmail } from './read-email.ts';
import type { RawEmailProblem } from '#server/platform/raw-email/raw-email.ts';

/** The input of the process: one email. */
export interface ReadRequest {
  file: Uint8Array;
  dnsServers: readonly string[];
}

export type ReadAnswer = ReadEmail | { problem: RawEmailProblem | 'too_slow' };

const MAX_MEMORY_BYTES = 400 * 1024 * 1024;
const MAX_WORK_MS = 6000;

async function read({ file, dnsServers }: ReadRequest): Promise<ReadAnswer> {
  const dns = createDns(dnsServers);
  try {
    return await readEmail(Buffer.from(file), dns);
  } finally {
    dns.close();
  }
}

serveRequests<ReadAnswer>(read, {
  memoryBytes: MAX_MEMORY_BYTES,
  workMs: MAX_WORK_MS,
  tooSlow: { problem: 'too_slow' },
  isKept: true,
});

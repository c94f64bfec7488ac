import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet';

/** What a name has. A CNAME is followed for other kinds of records, as resolvers do. */
interface Zone {
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
  /** Each value as one string, or as the parts that it is sent in. */
  TXT?: (string | Buffer | string[])[];
}

/** How it behaves: answers, says SERVFAIL or REFUSED to everything, or says nothing at all. */
type Mood = 'answering' | 'SERVFAIL' | 'REFUSED' | 'silent';

/** A DNS server on loopback whose records a test sets. */
export interface DnsServer {
  /** As `DNS_SERVERS` wants it. */
  address: string;
  /** Replaces what a name has; null removes the name (NXDOMAIN). */
  set(name: string, zone: Zone | null): void;
  mood: Mood;
  /** Names that get SERVFAIL whatever the mood. */
  broken: Set<string>;
  /** Every question so far, as `TXT _sayso.example.com`. */
  questions: string[];
  close(): Promise<void>;
}

const NXDOMAIN = 3;
const CODES = { SERVFAIL: 2, REFUSED: 5 };
const MAX_STEPS = 16;
const TTL = 1;

export async function startDnsServer(): Promise<DnsServer> {
  const zones = new Map<string, Zone>();
  const socket = createSocket('udp4');
  const server: DnsServer = {
    address: '',
    mood: 'answering',
    broken: new Set(),
    questions: [],
    set(name, zone) {
      if (zone === null) zones.delete(name.toLowerCase());
      else zones.set(name.toLowerCase(), zone);
    },
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };

  /** As resolvers do, it says SERVFAIL when CNAMEs run in a circle. */
  function answersTo(name: string, type: string, steps = 0): { code: number; answers: Answer[] } {
    const zone = zones.get(name);
    if (zone === undefined) return { code: steps === 0 ? NXDOMAIN : 0, answers: [] };
    if (steps > MAX_STEPS) return { code: CODES.SERVFAIL, answers: [] };
    if (zone.CNAME !== undefined) {
      const step: Answer = { name, type: 'CNAME', ttl: TTL, data: zone.CNAME };
      if (type === 'CNAME') return { code: 0, answers: [step] };
      const { code, answers } = answersTo(zone.CNAME.toLowerCase(), type, steps + 1);
      return { code, answers: [step, ...answers] };
    }
    const answers: Answer[] = [];
    if (type === 'A' || type === 'AAAA') {
      for (const data of zone[type] ?? []) answers.push({ name, type, ttl: TTL, data });
    }
    if (type === 'TXT') for (const data of zone.TXT ?? []) answers.push({ name, type, ttl: TTL, data });
    return { code: 0, answers };
  }

  function answer(message: Buffer, from: RemoteInfo): void {
    const query = decode(message);
    const [question] = query.questions ?? [];
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    server.questions.push(`${question.type} ${name}`);
    if (server.mood === 'silent') return;
    const isWell = server.mood === 'answering' && !server.broken.has(name);
    const { code, answers } = isWell
      ? answersTo(name, question.type)
      : { code: server.mood === 'REFUSED' ? CODES.REFUSED : CODES.SERVFAIL, answers: [] };
    const reply = encode({
      type: 'response',
      id: query.id ?? 0,
      flags: RECURSION_DESIRED | RECURSION_AVAILABLE | code,
      questions: [question],
      answers,
    });
    socket.send(reply, from.port, from.address);
  }

  socket.on('message', answer);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

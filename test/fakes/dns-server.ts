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
const CODES = { answering: 0, SERVFAIL: 2, REFUSED: 5, silent: 0 };
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
      if (zone === null) zones.delete(name);
      else zones.set(name, zone);
    },
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };

  function answersTo(name: string, type: string): { exists: boolean; answers: Answer[] } {
    const zone = zones.get(name);
    if (zone === undefined) return { exists: false, answers: [] };
    if (zone.CNAME !== undefined) {
      const step: Answer = { name, type: 'CNAME', ttl: TTL, data: zone.CNAME };
      if (type === 'CNAME') return { exists: true, answers: [step] };
      return { exists: true, answers: [step, ...answersTo(zone.CNAME, type).answers] };
    }
    if (type === 'A' || type === 'AAAA') {
      return {
        exists: true,
        answers: (zone[type] ?? []).map((data) => ({ name, type, ttl: TTL, data })),
      };
    }
    const texts = type === 'TXT' ? (zone.TXT ?? []) : [];
    return { exists: true, answers: texts.map((data) => ({ name, type: 'TXT', ttl: TTL, data })) };
  }

  function answer(message: Buffer, from: RemoteInfo): void {
    const query = decode(message);
    const [question] = query.questions ?? [];
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    server.questions.push(`${question.type} ${name}`);
    if (server.mood === 'silent') return;
    const { exists, answers } = answersTo(name, question.type);
    const isWell = server.mood === 'answering' && !server.broken.has(name);
    const code = isWell ? (exists ? 0 : NXDOMAIN) : CODES[server.mood] || CODES.SERVFAIL;
    const reply = encode({
      type: 'response',
      id: query.id ?? 0,
      flags: RECURSION_DESIRED | RECURSION_AVAILABLE | code,
      questions: [question],
      answers: isWell ? answers : [],
    });
    socket.send(reply, from.port, from.address);
  }

  socket.on('message', answer);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

import type { Services } from '#server/platform/services.ts';

/** Even on a busy machine, a stand-in takes so many in within the deadline of a call. */
const MOST_AT_ONCE = 200;

/** One stand-in of an email tool, as the process that runs them all tells of it. */
export interface FakeAccount {
  /** The connector's. */
  id: string;
  name: string;
  /** The setting that sends the connector there. */
  setting: string;
  url: string;
  credentials: Record<string, string>;
  wrongCredentials: Record<string, string>;
}

/** Somebody whom a tool is to hold, by the ids of its resources. */
export interface FakeToolPerson {
  email: string;
  hasLeftAll: boolean;
  joined: string[];
  left: string[];
  suppressed: string[];
}

/** Asks and fills the stand-ins that run beside the product. */
export interface FakeToolsClient {
  accounts(): Promise<FakeAccount[]>;
  /** They forget everybody when they end, so each start fills them; who is there already stays as they are. */
  fill(tool: string, people: readonly FakeToolPerson[]): Promise<void>;
}

/** @param url what `startFakeTools` gives */
export function fakeToolsAt({ outbound }: Services, url: string): FakeToolsClient {
  async function ask(method: string, path: string, body: string): Promise<string> {
    const headers: Record<string, string> = body === '' ? {} : { 'content-type': 'application/json' };
    const answer = await outbound.send({ method, url: `${url}${path}`, headers, body });
    if (answer.status >= 300) throw new Error(`The stand-ins of the tools answered ${answer.status}`);
    return answer.body;
  }
  return {
    accounts: async () => JSON.parse(await ask('GET', '/', '')) as FakeAccount[],
    async fill(tool, people) {
      for (let from = 0; from < people.length; from += MOST_AT_ONCE) {
        const next = from + MOST_AT_ONCE;
        const path = `/${tool}/people?last=${next >= people.length}`;
        await ask('PUT', path, JSON.stringify(people.slice(from, next)));
      }
    },
  };
}

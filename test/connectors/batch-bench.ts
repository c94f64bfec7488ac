import { TOOL_ACTIONS } from '#contract/actions.ts';
import {
  type Change,
  type Connector,
  ConnectorError,
  type ConnectorFailure,
  type Resource,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { openToolApi } from '#server/connectors/tool-api.ts';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';

/* Two fakes of a tool, and people who stand in both alike, for the suite of what is done for many at once. */

const NOW = new Date('2026-11-21T10:00:00Z');

/** One fake with a line to it. */
export interface Side<Fake extends FakeTool> {
  fake: Fake;
  api: ToolApi;
  /** Of the change. */
  target: Resource;
}

/** How somebody stands in the tool before the change. */
type Standing<Fake extends FakeTool> = (email: string, side: Side<Fake>) => void | Promise<void>;

export interface Case<Fake extends FakeTool> {
  type: Exclude<Change['type'], 'switch_email'>;
  on: boolean;
  /** Where it is not simply the next one that the fake makes. */
  target?: (fake: Fake) => Resource;
  /** The call that carries many: its method and its path. */
  call: RegExp;
  /**
   * Beside those of every tool. `was in` has to be brought somewhere by the change; where it is missing, a mere contact
   * has to be.
   */
  people?: Readonly<Record<string, Standing<Fake>>>;
  /** So many calls for so many who have to be brought somewhere, at the most. */
  calls(people: number): number;
  /** How many people the counted calls are for; a full batch, where nothing is said. */
  counted?: number;
  /** The account lacks the call: a failure is everybody's own, be it the same one. */
  isOneByOne?: boolean;
}

export const BAD = 'bad address';

type Batches = Connector & Required<Pick<Connector, 'batchSize' | 'applyMany'>>;

export const hasBatches = (connector: Connector): connector is Batches =>
  connector.batchSize !== undefined && connector.applyMany !== undefined;

export function changeOf(
  { type, on }: Pick<Change & { on: boolean }, 'type' | 'on'>,
  email: string,
  target: Resource,
): Change {
  if (type === 'switch_email') throw new Error('It is in no batch');
  return type === 'global_unsubscribe' ? { type, email, on } : { type, email, target, on };
}

/** Two fakes that stand alike: one is brought to it by `applyMany`, the other one by `apply`. */
export class Bench<Fake extends FakeTool> {
  readonly connector: Batches;
  readonly badAddress: string | undefined;
  /** What the bad address brought up; whatever is wrong without it has come up before. */
  readonly expected = new Set<string>();
  #outbound: Outbound | undefined;
  #fakes: readonly Fake[] = [];
  #count = 0;

  constructor(connector: Batches, badAddress: string | undefined) {
    this.connector = connector;
    this.badAddress = badAddress;
  }

  async start(start: () => Promise<Fake>, prepare: (fake: Fake) => void): Promise<void> {
    this.#outbound = createOutbound({ allowPrivateTargets: true });
    this.#fakes = [await start(), await start()];
    this.#fakes.forEach(prepare);
  }

  calm(): void {
    for (const fake of this.#fakes) fake.rule(() => null);
  }

  async close(): Promise<void> {
    this.#outbound?.close();
    for (const fake of this.#fakes) await fake.close();
  }

  /** A target on both, so that neither has what the other lacks. */
  sidesOf({ type, target }: Case<Fake>): [Side<Fake>, Side<Fake>] {
    const [together, apart] = this.#fakes.map((fake) => {
      const kind = TOOL_ACTIONS[type].target;
      const made = target?.(fake) ?? (kind === null ? undefined : fake.addResources(kind, 1)[0]);
      return { fake, api: this.#open(fake), target: made ?? { id: '', name: '' } };
    });
    if (together === undefined || apart === undefined) throw new Error('It has not started');
    return [together, apart];
  }

  #open({ url: baseUrl, credentials }: Fake): ToolApi {
    if (this.#outbound === undefined) throw new Error('It has not started');
    const clock = { now: () => NOW };
    const line = { outbound: this.#outbound, clock, baseUrl, wait: async () => {} };
    return openToolApi(this.connector, credentials, line);
  }

  freshEmail(): string {
    return `Person-${(this.#count += 1)}@example.com`;
  }

  violations(): string[] {
    return this.#fakes.flatMap(({ violations = [] }) => violations);
  }

  /** What the tool holds, and says. Ids of the two may differ, and one may be within another. */
  async stateOf({ fake, api, target: { id } }: Side<Fake>, email: string): Promise<string> {
    // A tool may refuse to look for what is no address.
    const state = email === this.badAddress ? null : await this.connector.state(api, email);
    const text = JSON.stringify({ holds: fake.holds(email), state }, null, 1);
    const [outer = ''] = id.split('/', 1);
    return id === '' ? text : text.replaceAll(id, 'the target').replaceAll(outer, 'around the target');
  }
}

/** One case on a bench. */
export class Trial<Fake extends FakeTool> {
  readonly people: Readonly<Record<string, Standing<Fake>>>;
  readonly #bench: Bench<Fake>;
  readonly #one: Case<Fake>;

  constructor(bench: Bench<Fake>, one: Case<Fake>) {
    this.#bench = bench;
    this.#one = one;
    const contact: Standing<Fake> = (email, { fake }) => fake.addContact(email);
    const there: Standing<Fake> = async (email, side) => {
      side.fake.addContact(email);
      await this.bring(side, email);
    };
    const back: Standing<Fake> = async (email, side) => {
      side.fake.addContact(email);
      await this.bring(side, email, true);
      await this.bring(side, email, false);
    };
    const capability = bench.connector.actions[one.type];
    const goesBack = capability.can && capability.operations.length === 2;
    this.people = {
      stranger: () => {},
      contact,
      there,
      ...(goesBack && { 'there and back': back }),
      ...one.people,
    };
  }

  /** Whom the change has to bring somewhere. */
  get behind(): string {
    return 'was in' in this.people ? 'was in' : 'contact';
  }

  bring({ api, target }: Side<Fake>, email: string, on = this.#one.on): Promise<void> {
    return this.#bench.connector.apply(api, changeOf({ type: this.#one.type, on }, email, target));
  }

  bringMany({ api, target }: Side<Fake>, emails: readonly string[]) {
    const changes = emails.map((email) => changeOf(this.#one, email, target));
    return this.#bench.connector.applyMany(api, changes);
  }

  async kindsApart(side: Side<Fake>, emails: readonly string[]): Promise<(ConnectorFailure | null)[]> {
    const kinds: (ConnectorFailure | null)[] = [];
    for (const email of emails) {
      try {
        await this.bring(side, email);
        kinds.push(null);
      } catch (error) {
        if (!(error instanceof ConnectorError)) throw error;
        kinds.push(error.kind);
      }
    }
    return kinds;
  }

  /** Stands people up, on all sides alike. */
  async stand(who: readonly string[], sides: readonly Side<Fake>[]): Promise<string[]> {
    const emails = who.map((name) =>
      name === BAD ? (this.#bench.badAddress ?? '') : this.#bench.freshEmail(),
    );
    for (const side of sides) {
      for (const [at, name] of who.entries()) await this.people[name]?.(emails[at] ?? '', side);
    }
    return emails;
  }
}

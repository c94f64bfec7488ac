/** A webhook that an account of a tool has. */
export interface FakeWebhook {
  id: string;
  /** Its audience or list; empty: it is the account's. */
  place: string;
  url: string;
  /** By the tool's names for them, in order. */
  events: string[];
  /** What its calls are signed with, or bear; empty: nothing. */
  secret: string;
  /** Turned off, by the tool or its owner. */
  isOff: boolean;
  /** What else it was told, as it came. */
  told: Readonly<Record<string, unknown>>;
}

/** The webhooks of an account, in the order in which they were made. */
export class FakeWebhooks {
  readonly all: FakeWebhook[] = [];
  #made = 0;

  at(place = ''): FakeWebhook[] {
    return this.all.filter((one) => one.place === place);
  }

  find(id: string, place = ''): FakeWebhook | undefined {
    return this.at(place).find((one) => one.id === id);
  }

  add(
    webhook: Pick<FakeWebhook, 'url' | 'events'> & Partial<FakeWebhook>,
    idOf: (number: number) => string = String,
  ): FakeWebhook {
    this.#made += 1;
    const { events, ...rest } = webhook;
    const made = {
      id: idOf(this.#made),
      place: '',
      secret: '',
      isOff: false,
      told: {},
      ...rest,
      events: events.toSorted(),
    };
    this.all.push(made);
    return made;
  }

  /** @returns whether it was there */
  remove(id: string, place = ''): boolean {
    const at = this.all.findIndex((one) => one.id === id && one.place === place);
    if (at !== -1) this.all.splice(at, 1);
    return at !== -1;
  }
}

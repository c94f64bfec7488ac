import type { Case } from '#test/connectors/batch-bench.ts';
import { describeBatches } from '#test/connectors/batch-suite.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { mailchimp } from './index.ts';

type People = NonNullable<Case<MailchimpFake>['people']>;

/** In the audience of the target, or in the first one. */
function people(statuses: readonly string[]): People {
  const found: Record<string, People[string]> = {
    forgotten: (email, { fake, target }) => fake.forget(audienceOf(fake, target.id), email),
    'left on their own': (email, { fake, target }) =>
      void fake.addMember(audienceOf(fake, target.id), email, {
        status: 'unsubscribed',
        leftByThemselves: true,
      }),
  };
  for (const status of statuses) {
    found[status] = (email, { fake, target }) =>
      void fake.addMember(audienceOf(fake, target.id), email, { status });
  }
  return found;
}

const audienceOf = ({ audience }: MailchimpFake, target: string) =>
  target === '' ? audience : (target.split('/')[0] ?? '');

const everybody = people(['subscribed', 'unsubscribed', 'cleaned', 'pending', 'transactional', 'archived']);
const CALL = /^POST \/lists\/\w+\?/;

describeBatches<MailchimpFake>(mailchimp, startMailchimpFake, {
  badAddress: 'nobody@nowhere',
  cases: [
    // A contact of the fake is in another audience, and nobody knows them in this one.
    { type: 'list', on: true, call: CALL, people: everybody, calls: (count) => count + 2 },
    {
      type: 'list',
      on: true,
      target: (fake) => fake.addInterest(fake.addResources('lists', 1)[0]?.id ?? ''),
      call: CALL,
      people: everybody,
      calls: (count) => count + 2,
    },
    {
      type: 'list',
      on: false,
      call: CALL,
      people: { ...everybody, 'was in': everybody['subscribed'] ?? (() => {}) },
      calls: (count) => count + 1,
    },
    {
      type: 'global_unsubscribe',
      on: true,
      call: CALL,
      people: {
        ...everybody,
        'in two audiences': (email, { fake }) => {
          fake.addContact(email);
          fake.addMember('a000000002', email);
        },
      },
      // Who is in an audience has to be found there first.
      calls: (count) => 2 * count + 1,
    },
  ],
});

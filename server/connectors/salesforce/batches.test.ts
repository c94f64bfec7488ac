import { type Case, describeBatches, type Side } from '#test/connectors/batch-suite.ts';
import { type SalesforceFake, startSalesforceFake } from '#test/fakes/tools/salesforce.ts';
import { salesforce } from './index.ts';

const people: NonNullable<Case<SalesforceFake>['people']> = {
  'contact and lead': (email, { fake }) => {
    fake.addContact(email);
    fake.add('Lead', { Email: email.toUpperCase(), LastName: 'Nilsson', Company: 'Acme' });
  },
  'one of two out': (email, { fake }) => {
    fake.addContact(email);
    fake.add('Contact', { Email: email, LastName: 'Lee', HasOptedOutOfEmail: true });
  },
  'converted lead': (email, { fake }) =>
    void fake.add('Lead', { Email: email, LastName: 'Lee', Company: 'Acme', IsConverted: true }),
  'person account': (email, { fake }) => void fake.addPersonAccount(email),
};

const wasIn =
  (type: 'list' | 'tag') =>
  async (email: string, { fake, api, target }: Side<SalesforceFake>): Promise<void> => {
    fake.addContact(email);
    await salesforce.apply(api, { type, email, target, on: true });
  };

const LINK = { on: true, call: /^POST .*composite/, people, calls: () => 4 };

describeBatches<SalesforceFake>(salesforce, startSalesforceFake, {
  // Its line logs in first.
  cases: [
    { type: 'global_unsubscribe', on: true, call: /^PATCH .*composite/, people, calls: () => 4 },
    {
      type: 'global_unsubscribe',
      on: false,
      call: /^PATCH .*composite/,
      people: {
        ...people,
        'was in': (email, { fake }) =>
          void fake.add('Contact', { Email: email, LastName: 'Lee', HasOptedOutOfEmail: true }),
      },
      calls: () => 4,
    },
    { ...LINK, type: 'list', calls: () => 5 },
    { ...LINK, type: 'tag', calls: () => 5 },
    {
      type: 'list',
      on: false,
      call: /^DELETE .*composite/,
      people: { ...people, 'was in': wasIn('list') },
      calls: () => 5,
    },
    {
      type: 'tag',
      on: false,
      call: /^DELETE .*composite/,
      people: { ...people, 'was in': wasIn('tag') },
      calls: () => 5,
    },
  ],
});

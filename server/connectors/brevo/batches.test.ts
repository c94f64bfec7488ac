import { describeBatches } from '#test/connectors/batch-suite.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { brevo } from './index.ts';

describeBatches<BrevoFake>(brevo, startBrevoFake, {
  badAddress: 'nobody@nowhere',
  cases: [
    {
      type: 'list',
      on: true,
      call: /^POST .*\/contacts\/add/,
      people: {
        'left on their own': (email, { fake, target }) => {
          fake.addContact(email);
          fake.leaveList(email, target);
        },
      },
      // Each has to be looked at.
      calls: (people) => people + 1,
    },
    {
      type: 'list',
      on: false,
      call: /^POST .*\/contacts\/remove/,
      people: {
        'was in': async (email, { fake, api, target }) => {
          fake.addContact(email);
          await brevo.apply(api, { type: 'list', email, target, on: true });
        },
      },
      calls: () => 1,
    },
  ],
});

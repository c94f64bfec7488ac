import { expect, it } from 'vitest';
import { type Case, describeBatches } from '#test/connectors/batch-suite.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { sendgrid } from './index.ts';

const people: NonNullable<Case<SendgridFake>['people']> = {
  'at an alternate address': (email, { fake }) => {
    fake.addContact(`owner-of-${email}`);
    fake.contact(`owner-of-${email}`)?.alternateEmails.push(email.toLowerCase());
  },
  'known by more': (email, { fake }) => {
    fake.addContact(email);
    const contact = fake.contact(email);
    if (contact !== undefined) contact.values['external_id'] = `of ${email}`;
  },
};

describeBatches<SendgridFake>(sendgrid, startSendgridFake, {
  cases: [
    {
      type: 'global_unsubscribe',
      on: true,
      call: /^POST .*suppressions\/global/,
      people: { 'reported as spam': (email, { fake }) => fake.suppress('spam_reports', email) },
      calls: () => 1,
    },
    {
      type: 'suppression_group',
      on: true,
      call: /^POST .*groups\/\d+\/suppressions$/,
      people,
      calls: () => 2,
    },
    // A job is looked at until it is done.
    { type: 'list', on: true, call: /^PUT .*contacts/, people, calls: () => 4 },
    {
      type: 'list',
      on: false,
      call: /^DELETE .*contacts/,
      people: {
        ...people,
        'was in': (email, { fake, target }) =>
          fake.addPeople('lists', target.id, [{ email, state: 'subscribed' }]),
      },
      calls: () => 4,
    },
  ],
});

void expect;
void it;

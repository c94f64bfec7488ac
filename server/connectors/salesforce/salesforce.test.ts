import { afterEach, expect, it } from 'vitest';
import { type Bench, describeConnector } from '#test/connectors/suite.ts';
import { type FakeRecord, type SalesforceFake, startSalesforceFake } from '#test/fakes/tools/salesforce.ts';
import type { Change, People, Resource } from '../connector.ts';
import { salesforce } from './index.ts';

let fake: SalesforceFake;

async function start(): Promise<SalesforceFake> {
  fake = await startSalesforceFake();
  return fake;
}

describeConnector(salesforce, start, { manyResources: 2050, manyPeople: 1050 }, (bench) => {
  afterEach(() => {
    fake.use(18);
    fake.failRows();
    fake.allowLogIn(true);
    for (const object of ['Contact', 'Lead']) fake.secure(`${object}.HasOptedOutOfEmail`, 'open');
    for (const object of ['Topic', 'TopicAssignment', 'ContactPointEmail']) fake.switchOff(object, false);
  });

  duplicateTraps(bench);
  personAccountTraps(bench);
  addressTraps(bench);
  permissionTraps(bench);
  answerTraps(bench);
  peopleTraps(bench);
  fieldTraps(bench);
  pollTraps(bench);
});

/** The contact of a person account cannot be written; its fields are those of the account, under other names. */
function personAccountTraps(bench: Bench): void {
  it('person accounts: the opt-out is set and lifted on the account', async () => {
    const email = bench.freshEmail();
    const { account, contact } = fake.addPersonAccount(email);
    const other = fake.add('Contact', { Email: email, LastName: 'Lee' });
    await apply(bench, { type: 'global_unsubscribe', email, on: true });
    expect(account.PersonHasOptedOutOfEmail).toBe(true);
    expect(contact.HasOptedOutOfEmail).toBe(true);
    expect(other.HasOptedOutOfEmail).toBe(true);
    expect(await salesforce.state(bench.api, email)).toMatchObject({ known: true, unsubscribed: true });
    await apply(bench, { type: 'global_unsubscribe', email, on: false });
    expect(account.PersonHasOptedOutOfEmail).toBe(false);
    expect(contact.HasOptedOutOfEmail).toBe(false);
  });

  it('person accounts: a new address is written to the account, with the opt-out', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const { account, contact } = fake.addPersonAccount(from);
    await apply(bench, { type: 'global_unsubscribe', email: from, on: true });
    await apply(bench, { type: 'switch_email', from, email });
    expect(account).toMatchObject({ PersonEmail: email, PersonHasOptedOutOfEmail: true });
    expect(contact).toMatchObject({ Email: email, HasOptedOutOfEmail: true });
  });

  it('person accounts: a custom field is filled on the account by its name', async () => {
    const email = bench.freshEmail();
    const [field] = fake.addResources('fields', 1);
    if (field === undefined) throw new Error('The fake made no field');
    const { account, contact } = fake.addPersonAccount(email);
    expect(await salesforce.setField(bench.api, email, field, 'value_1-A')).toBe(true);
    expect(contact[field.id]).toBe('value_1-A');
    expect(account[field.id.replace(/__c$/, '__pc')]).toBe('value_1-A');
  });

  it('person accounts: campaigns add them by their contact', async () => {
    const email = bench.freshEmail();
    const target = addOne('lists');
    const { contact } = fake.addPersonAccount(email);
    await apply(bench, { type: 'list', email, target, on: true });
    const members = fake.all('CampaignMember').filter(({ CampaignId }) => CampaignId === target.id);
    expect(members).toMatchObject([{ ContactId: contact.Id }]);
  });

  it('person accounts: a hidden account is refused with an explanation', async () => {
    const email = bench.freshEmail();
    const { account } = fake.addPersonAccount(email);
    fake.secure('Account.PersonHasOptedOutOfEmail', 'readOnly');
    await expect(apply(bench, { type: 'global_unsubscribe', email, on: true })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Email Opt Out'),
    });
    fake.secure('Account.PersonHasOptedOutOfEmail', 'open');
    expect(account.PersonHasOptedOutOfEmail).toBe(false);
  });

  it('person accounts: nothing more is requested where there are none', async () => {
    const email = bench.freshEmail();
    fake.add('Contact', { Email: email, LastName: 'Lee' });
    const before = fake.seen.length;
    await apply(bench, { type: 'global_unsubscribe', email, on: true });
    expect(fake.seen.slice(before).filter(({ url }) => url.includes('Account'))).toEqual([]);
  });
}

function peopleTraps(bench: Bench): void {
  const people = salesforce.people as Extract<People, { can: true }>;
  const read = (kind: 'lists' | 'tags', target: Resource, cursor: string | null = null) =>
    people.read(bench.api, kind, target.id, cursor);
  const join = (target: Resource, fields: Record<string, string | boolean | null>) => {
    const { Id } = fake.add('Contact', { LastName: 'Lee', ...fields });
    fake.add('CampaignMember', { CampaignId: target.id, ContactId: Id });
  };

  it.each([
    [1100, 'lists'],
    [450, 'tags'],
  ] as const)(
    'resumes days later after %i of the %s, when the cursors of Salesforce have expired',
    async (count, kind) => {
      const target = addOne(kind);
      const emails = Array.from({ length: count }, bench.freshEmail);
      fake.addPeople?.(
        kind,
        target.id,
        emails.map((email) => ({ email, state: 'subscribed' })),
      );
      const first = await read(kind, target);
      fake.forgetCursors();
      fake.endSessions();
      const second = await read(kind, target, first.cursor);
      const found = [...first.people, ...second.people].map(({ email }) => email);
      expect(found.toSorted()).toEqual(emails.toSorted());
      expect(second.cursor).toBeNull();
    },
  );

  it('skips nobody when members leave between pages', async () => {
    const target = addOne('lists');
    const emails = Array.from({ length: 1050 }, bench.freshEmail);
    fake.addPeople?.(
      'lists',
      target.id,
      emails.map((email) => ({ email, state: 'subscribed' })),
    );
    const first = await read('lists', target);
    const members = fake.all('CampaignMember').filter(({ CampaignId }) => CampaignId === target.id);
    for (const { Id } of members.slice(0, 60)) fake.remove(Id);
    const second = await read('lists', target, first.cursor);
    expect(second.people.map(({ email }) => email)).toEqual(emails.slice(1000));
  });

  it('6: reads a campaign with one call per page', async () => {
    const target = addOne('lists');
    join(target, { Email: bench.freshEmail() });
    const before = callsOf('GET').length;
    await read('lists', target);
    expect(callsOf('GET')).toHaveLength(before + 1);
  });

  it('reads who opted out, bounced, or is fine, and since when', async () => {
    const target = addOne('lists');
    const [out, bounced, fine] = [bench.freshEmail(), bench.freshEmail(), bench.freshEmail()];
    join(target, { Email: out, HasOptedOutOfEmail: true });
    join(target, { Email: bounced, EmailBouncedDate: '2026-11-01T08:00:00.000+0000' });
    join(target, { Email: fine });
    join(target, { Email: null });
    expect((await read('lists', target)).people).toEqual([
      { email: out, state: 'unsubscribed', hasLeftAll: true, since: null },
      { email: bounced, state: 'unclear', hasLeftAll: false, since: null },
      { email: fine, state: 'subscribed', hasLeftAll: false, since: new Date('2026-03-01T08:30:00Z') },
    ]);
  });

  it('1: treats two records of one address, one of them opted out, neither as consent nor as an opt-out', async () => {
    const [target, email] = [addOne('lists'), bench.freshEmail()];
    join(target, { Email: email });
    join(target, { Email: email.toUpperCase(), HasOptedOutOfEmail: true });
    expect((await read('lists', target)).people).toEqual([
      { email, state: 'unclear', hasLeftAll: false, since: null },
    ]);
  });

  it('2: reports when opt-outs are hidden, and treats nobody as subscribed', async () => {
    const target = addOne('lists');
    join(target, { Email: bench.freshEmail() });
    fake.secure('Lead.HasOptedOutOfEmail', 'hidden');
    await expect(read('lists', target)).rejects.toThrow('Email Opt Out');
  });

  it('ignores records of other kinds under a topic', async () => {
    const [target, email] = [addOne('tags'), bench.freshEmail()];
    fake.addPeople?.('tags', target.id, [{ email, state: 'subscribed' }]);
    fake.add('TopicAssignment', { TopicId: target.id, EntityId: '001000000000001AAA' });
    expect((await read('tags', target)).people.map((one) => one.email)).toEqual([email]);
  });

  it.each(['lists', 'tags'] as const)(
    'reports a missing one of the %s instead of an empty one',
    async (kind) => {
      const target = addOne(kind);
      fake.remove(target.id);
      await expect(read(kind, target)).rejects.toMatchObject({ kind: 'not_found' });
    },
  );

  it.each(['', 'nonsense', '{"after":"701\' OR Id > \'"}'])(
    'restarts with the broken cursor %j',
    async (cursor) => {
      const target = addOne('lists');
      join(target, { Email: bench.freshEmail() });
      expect((await read('lists', target, cursor)).people).toHaveLength(1);
    },
  );
}

function fieldTraps(bench: Bench): void {
  const fill = (email: string, field: Resource) =>
    salesforce.setField?.(bench.api, email, field, 'value_1-A');
  const addField = () => (fake.addResources('fields', 1) as [Resource])[0];

  it('1: fills the field of all contacts and leads with an address, except converted leads, and nothing else', async () => {
    const [email, field] = [bench.freshEmail(), addField()];
    addCrowd(email);
    await optOut(bench, email);
    const before = fake.records(email).map((row) => ({ ...row }));
    await fill(email, field);
    const after = fake.records(email);
    expect(after.map((row) => row[field.id])).toEqual(['value_1-A', 'value_1-A', 'value_1-A', undefined]);
    const rest = after.map((row) => ({ ...row, [field.id]: undefined }));
    expect(rest).toEqual(before.map((row) => ({ ...row, [field.id]: undefined })));
  });

  it('6: does not write values that are already there', async () => {
    const [email, field] = [bench.freshEmail(), addField()];
    fake.addContact(email);
    await fill(email, field);
    const before = callsOf('PATCH').length;
    await fill(email, field);
    expect(callsOf('PATCH')).toHaveLength(before);
  });

  it('fills contacts where leads do not have the field', async () => {
    const email = bench.freshEmail();
    addCrowd(email);
    fake.addField({ object: 'Contact', name: 'Only_Contact__c' });
    await fill(email, { id: 'Only_Contact__c', name: 'Only contact' });
    const values = fake.records(email).map((row) => row.Only_Contact__c);
    expect(values).toEqual(['value_1-A', 'value_1-A', undefined, undefined]);
  });

  it('reports a missing or hidden field, and puts no other name into a query', async () => {
    const [email, field] = [bench.freshEmail(), addField()];
    fake.addContact(email);
    fake.secure(`Contact.${field.id}`, 'hidden');
    for (const one of [
      field,
      { id: 'Gone__c', name: 'Gone' },
      { id: 'Email', name: 'Email' },
      { id: 'Id, Name', name: '?' },
    ]) {
      await expect(fill(email, one)).rejects.toMatchObject({
        kind: 'not_found',
        message: expect.stringContaining(`"${one.name}"`),
      });
    }
  });

  it('4: notices in an answer with status 200 that a field is read-only', async () => {
    const [email, field] = [bench.freshEmail(), addField()];
    fake.addContact(email);
    fake.secure(`Contact.${field.id}`, 'readOnly');
    await expect(fill(email, field)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('offers the text fields that are long enough, and merges them by name', async () => {
    const field = addField();
    fake.addField({ object: 'Contact', name: 'Flag__c', type: 'boolean' });
    fake.addField({ object: 'Contact', name: 'Short__c', length: 40 });
    const offered = await salesforce.resources(bench.api, 'fields');
    expect(offered).toContainEqual(field);
    expect(offered.map(({ id }) => id)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:Flag__c|Short__c|LastName|Email)$/)]),
    );
    expect(salesforce.mergeTags.field(field)).toBe(`{{{Recipient.${field.id}}}}`);
  });
}

const apply = (bench: Bench, change: Change) => salesforce.apply(bench.api, change);

const optOut = (bench: Bench, email: string, on = true) =>
  apply(bench, { type: 'global_unsubscribe', email, on });

/** Two contacts and two leads, of which one is converted. */
function addCrowd(email: string): void {
  fake.addContact(email);
  fake.add('Contact', { Email: email.toUpperCase(), LastName: 'Lee' });
  fake.add('Lead', { Email: email, LastName: 'Lee', Company: 'Acme' });
  fake.add('Lead', { Email: email, LastName: 'Lee', Company: 'Acme', IsConverted: true });
}

const outs = (email: string) => fake.records(email).map(({ HasOptedOutOfEmail }) => HasOptedOutOfEmail);

const callsOf = (method: string) => fake.seen.filter((one) => one.method === method);

function addOne(kind: 'lists' | 'tags'): Resource {
  const [one] = fake.addResources(kind, 1);
  if (one === undefined) throw new Error('The fake made nothing');
  return one;
}

function duplicateTraps(bench: Bench): void {
  it('1: opts out all contacts and leads with an address in one call, except converted leads', async () => {
    const email = bench.freshEmail();
    addCrowd(email);
    const before = callsOf('PATCH').length;
    await optOut(bench, email);
    expect(outs(email)).toEqual([true, true, true, false]);
    await optOut(bench, email);
    expect(callsOf('PATCH').length).toBe(before + 1);
    await optOut(bench, email, false);
    expect(outs(email)).toEqual([false, false, false, false]);
  });

  it('1: treats an address as opted out only when all of its records are', async () => {
    const email = bench.freshEmail();
    addCrowd(email);
    fake.add('Lead', { Email: email, LastName: 'Lee', Company: 'Acme', HasOptedOutOfEmail: true });
    expect(await salesforce.state(bench.api, email)).toMatchObject({ known: true, unsubscribed: false });
    await optOut(bench, email);
    expect(await salesforce.state(bench.api, email)).toMatchObject({ unsubscribed: true });
  });

  it.each([
    ['list', 'lists'],
    ['tag', 'tags'],
  ] as const)('1: adds all records of an address to a %s, and removes them', async (type, kind) => {
    const email = bench.freshEmail();
    const target = addOne(kind);
    addCrowd(email);
    await apply(bench, { type, email, target, on: true });
    await apply(bench, { type, email, target, on: true });
    expect(fake.holds(email)?.[kind]).toEqual([target.id, target.id, target.id]);
    expect((await salesforce.state(bench.api, email))[kind]).toEqual([target.id]);
    await apply(bench, { type, email, target, on: false });
    expect(fake.holds(email)?.[kind]).toEqual([]);
  });

  it('keeps the opt-out of somebody who is added to a campaign', async () => {
    const [email, target] = [bench.freshEmail(), addOne('lists')];
    fake.addContact(email);
    await optOut(bench, email);
    await apply(bench, { type: 'list', email, target, on: true });
    expect(outs(email)).toEqual([true]);
  });

  it('succeeds when somebody else has added the member meanwhile', async () => {
    const [email, target] = [bench.freshEmail(), addOne('lists')];
    fake.addContact(email);
    fake.failRows({ statusCode: 'DUPLICATE_VALUE', message: 'Already a campaign member.' });
    await apply(bench, { type: 'list', email, target, on: true });
  });

  it('creates no one', async () => {
    const [email, target] = [bench.freshEmail(), addOne('lists')];
    await optOut(bench, email);
    await expect(apply(bench, { type: 'list', email, target, on: true })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect(fake.records(email)).toEqual([]);
    expect(await salesforce.state(bench.api, email)).toEqual({ known: false });
  });

  it('refuses a deleted campaign', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    const target = { id: '701999999999999AAA', name: 'Gone' };
    await expect(apply(bench, { type: 'list', email, target, on: true })).rejects.toThrow(
      'INVALID_CROSS_REFERENCE_KEY',
    );
  });

  it('splits more records than one call may hold', async () => {
    const email = bench.freshEmail();
    for (let count = 0; count < 201; count += 1) fake.addContact(email);
    await optOut(bench, email);
    expect(fake.holds(email)?.unsubscribed).toBe(true);
  });

  it('does not let an address that looks like SOQL become SOQL', async () => {
    const [email, other] = ["x' or Email != '\\", bench.freshEmail()];
    fake.addContact(email);
    fake.addContact(other);
    await optOut(bench, email);
    expect(outs(email)).toEqual([true]);
    expect(outs(other)).toEqual([false]);
  });
}

function addressTraps(bench: Bench): void {
  const switchTo = (from: string, email: string) => apply(bench, { type: 'switch_email', from, email });

  it('moves all records of the old address; an opt-out of one applies to all', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    addCrowd(from);
    fake.add('Lead', { Email: from, LastName: 'Lee', Company: 'B', HasOptedOutOfEmail: true });
    fake.add('Contact', { Email: email, LastName: 'Lee' });
    await switchTo(from, email);
    await switchTo(from, email);
    expect(fake.holds(from)).toBeNull();
    expect(outs(email)).toEqual([true, true, true, true, true]);
  });

  it('takes over the opt-out of a record that already has the new address', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(from);
    fake.add('Lead', { Email: email, LastName: 'Lee', Company: 'B', HasOptedOutOfEmail: true });
    await switchTo(from, email);
    expect(outs(email)).toEqual([true, true]);
  });

  it('keeps the opt-out even if some records fail, and when it is retried', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.add('Contact', { Email: from, LastName: 'Lee', HasOptedOutOfEmail: true });
    fake.add('Contact', { Email: from, LastName: 'Lee' });
    fake.addContact(email);
    fake.failRows(null, null, { statusCode: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain access' });
    await expect(switchTo(from, email)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(outs(email)).toEqual([true, true]);
    await switchTo(from, email);
    expect(outs(email)).toEqual([true, true, true]);
  });

  it('moves the contact points of the address, where the organization has them', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(from);
    const point = fake.add('ContactPointEmail', { EmailAddress: from });
    await switchTo(from, email);
    expect(point.EmailAddress).toBe(email);
    fake.switchOff('ContactPointEmail', true);
    await switchTo(email, from);
    expect(fake.holds(from)).not.toBeNull();
  });

  it('does nothing when only the case differs, or nobody has the old address', async () => {
    const [email, nobody] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(email);
    const before = callsOf('PATCH').length;
    await switchTo(email, email.toUpperCase());
    await switchTo(nobody, email);
    expect(callsOf('PATCH').length).toBe(before);
    expect(fake.records(nobody)).toEqual([]);
  });
}

function permissionTraps(bench: Bench): void {
  it.each([
    ['Lead', 'hidden'],
    ['Contact', 'hidden'],
    ['Contact', 'readOnly'],
  ] as const)('2: reports at once that the opt-out of a %s is %s', async (object, how) => {
    fake.secure(`${object}.HasOptedOutOfEmail`, how);
    const verified = salesforce.verify(bench.api, bench.fake.credentials);
    await expect(verified).rejects.toMatchObject({ kind: 'refused' });
    await expect(verified).rejects.toThrow(`Email Opt Out (${object})`);
  });

  it.each(['hidden', 'readOnly'] as const)(
    '2: refuses the opt-out when its field is %s later',
    async (how) => {
      const email = bench.freshEmail();
      addCrowd(email);
      fake.secure('Lead.HasOptedOutOfEmail', how);
      const done = optOut(bench, email);
      await expect(done).rejects.toMatchObject({ kind: 'refused' });
      await expect(done).rejects.toThrow('Email Opt Out');
    },
  );

  it('works without topics where the organization has none', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    fake.switchOff('Topic', true);
    fake.switchOff('TopicAssignment', true);
    expect(await salesforce.resources(bench.api, 'tags')).toEqual([]);
    const state = await salesforce.state(bench.api, email);
    expect(state).toEqual({ known: true, unsubscribed: false, lists: [] });
  });
}

function answerTraps(bench: Bench): void {
  it('exchanges the credentials for a token once, and again when the session has ended', async () => {
    const logIns = () => callsOf('POST').filter(({ url }) => url === '/services/oauth2/token').length;
    const before = logIns();
    await salesforce.state(bench.api, bench.freshEmail());
    await salesforce.state(bench.api, bench.freshEmail());
    expect(logIns()).toBe(before + 1);
    fake.endSessions();
    await salesforce.state(bench.api, bench.freshEmail());
    expect(logIns()).toBe(before + 2);
  });

  it('tells an app that may not log in from every other error', async () => {
    fake.allowLogIn(false);
    const verified = salesforce.verify(bench.api, bench.fake.credentials);
    await expect(verified).rejects.toMatchObject({ kind: 'bad_credentials' });
    await expect(verified).rejects.toThrow('invalid_grant');
  });

  it('6: treats exhausted calls for the day as a pause, although the status is 403', async () => {
    fake.use(5000);
    await expect(salesforce.verify(bench.api, bench.fake.credentials)).rejects.toMatchObject({
      kind: 'rate_limited',
    });
  });

  it.each([
    [403, 'INSUFFICIENT_ACCESS_OR_READONLY', 'refused'],
    [403, 'API_DISABLED_FOR_ORG', 'refused'],
    [403, 'SOMETHING_ELSE', 'bad_credentials'],
    [400, 'MALFORMED_QUERY', 'refused'],
    [400, 'QUERY_TIMEOUT', 'unavailable'],
    [503, 'SERVER_UNAVAILABLE', 'unavailable'],
  ])('reports %s with %s as %s', async (status, errorCode, kind) => {
    await salesforce.state(bench.api, bench.freshEmail());
    const body = JSON.stringify([{ message: 'No', errorCode }]);
    fake.trouble({ status, body });
    if (kind === 'bad_credentials') fake.trouble({ status: 400, body: '{"error":"invalid_client"}' });
    await expect(salesforce.state(bench.api, bench.freshEmail())).rejects.toMatchObject({ kind });
  });

  it('4: notices the failed row in an answer with status 200, and writes the others', async () => {
    const email = bench.freshEmail();
    addCrowd(email);
    fake.failRows({ statusCode: 'REQUIRED_FIELD_MISSING', message: 'Required fields are missing: [Title]' });
    const done = optOut(bench, email);
    await expect(done).rejects.toMatchObject({ kind: 'refused' });
    await expect(done).rejects.toThrow('REQUIRED_FIELD_MISSING');
    expect(outs(email)).toEqual([false, true, true, false]);
  });

  it('5: passes on the message of a validation rule, without addresses', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    const message = 'Ask boss@example.com before you change a VIP';
    fake.failRows({ statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message });
    const done = optOut(bench, email);
    await expect(done).rejects.toThrow('before you change a VIP');
    await expect(done).rejects.not.toThrow('boss@example.com');
  });

  it('7: retries when a record is locked, whatever the result of the others', async () => {
    const email = bench.freshEmail();
    addCrowd(email);
    fake.failRows(
      { statusCode: 'REQUIRED_FIELD_MISSING', message: 'Required fields are missing: [Title]' },
      { statusCode: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain exclusive access to this record' },
    );
    await expect(optOut(bench, email)).rejects.toMatchObject({ kind: 'unavailable' });
    await optOut(bench, email);
    expect(fake.holds(email)?.unsubscribed).toBe(true);
  });

  it('retries when a lead is converted meanwhile, and then leaves it alone', async () => {
    const email = bench.freshEmail();
    addCrowd(email);
    fake.failRows(null, null, { statusCode: 'CANNOT_UPDATE_CONVERTED_LEAD', message: 'converted' });
    await expect(optOut(bench, email)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  // What Salesforce was recorded to answer for an id that isn't there.
  it('writes the others when a record is gone for good since it was found', async () => {
    const email = bench.freshEmail();
    addCrowd(email);
    fake.failRows({ statusCode: 'INVALID_CROSS_REFERENCE_KEY', message: 'invalid cross reference id' });
    await optOut(bench, email);
    expect(outs(email)).toEqual([false, true, true, false]);
  });

  it('lets duplicate rules that only warn pass', async () => {
    await salesforce.state(bench.api, bench.freshEmail());
    expect(fake.seen.at(-1)?.headers['sforce-duplicate-rule-header']).toBe('allowSave=true');
  });

  it('tells malformed rows from rows', async () => {
    await salesforce.state(bench.api, bench.freshEmail());
    fake.trouble({ status: 200, body: '{"records":[{}],"done":true}' });
    await expect(salesforce.state(bench.api, bench.freshEmail())).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
}

function pollTraps(bench: Bench): void {
  const NOW = '2026-11-21T10:00:00.000Z';
  const CURSOR = JSON.stringify({ since: NOW, earlier: 'read' });
  const LATER = '2026-11-21T10:05:00.000+0000';

  async function look(cursor: string | null) {
    if (salesforce.inbound.kind !== 'poll') throw new Error('Salesforce is polled');
    return salesforce.inbound.poll(bench.api, cursor);
  }

  const add = (object: 'Contact' | 'Lead', fields: Record<string, string | boolean>) =>
    fake.add(object, { Email: bench.freshEmail(), LastName: 'Lee', ...fields });

  it('polls from now on, once it has read who opted out before', async () => {
    const [contact, lead] = (['Contact', 'Lead'] as const).map((object) =>
      add(object, { HasOptedOutOfEmail: true }),
    );
    const { events, standings, cursor } = await look(null);
    expect(events).toEqual([]);
    for (const record of [contact, lead]) {
      expect(standings).toContainEqual({
        record: record?.Id,
        email: record?.Email,
        hasLeft: true,
        at: new Date('2026-11-20T08:00:00Z'),
        isEarlier: true,
      });
    }
    expect(JSON.parse(cursor)).toEqual({ since: NOW, earlier: 'read' });
  });

  it('reads who opted out before after the update of a product that did not', async () => {
    const before = add('Contact', {
      HasOptedOutOfEmail: true,
      SystemModstamp: '2026-11-21T09:50:00.000+0000',
    });
    const since = add('Contact', { HasOptedOutOfEmail: true, SystemModstamp: LATER });
    const { standings = [], cursor } = await look(JSON.stringify({ since: NOW }));
    const found = (row: FakeRecord) => standings.filter(({ record }) => record === row.Id);
    expect(found(before)).toMatchObject([{ hasLeft: true, isEarlier: true }]);
    expect(found(since)).toEqual([
      { record: since.Id, email: since.Email, hasLeft: true, at: new Date('2026-11-21T10:05:00Z') },
    ]);
    expect(JSON.parse(cursor)).toMatchObject({ earlier: 'read' });
  });

  it('polls how contacts and leads that were changed stand, which bounced, and no earlier ones', async () => {
    add('Contact', { HasOptedOutOfEmail: true, SystemModstamp: '2026-11-21T09:50:00.000+0000' });
    const since = JSON.stringify({ since: '2026-11-21T10:10:00.000Z', earlier: 'read' });
    const time = '2026-11-21T10:15:00.000+0000';
    const back = add('Contact', { SystemModstamp: time });
    const contact = add('Contact', { HasOptedOutOfEmail: true, SystemModstamp: time });
    const lead = add('Lead', {
      EmailBouncedDate: '2026-11-21T10:16:00.000+0000',
      SystemModstamp: '2026-11-21T10:17:00.000+0000',
    });
    const { events, standings, cursor } = await look(since);
    const at = new Date('2026-11-21T10:15:00Z');
    expect(standings).toEqual([
      { record: back.Id, email: back.Email, hasLeft: false, at },
      { record: contact.Id, email: contact.Email, hasLeft: true, at },
      { record: lead.Id, email: lead.Email, hasLeft: false, at: new Date('2026-11-21T10:17:00Z') },
    ]);
    expect(events).toEqual([
      {
        id: `${lead.Id}:bounced:2026-11-21T10:16:00.000Z`,
        kind: 'bounced',
        email: lead.Email,
        at: new Date('2026-11-21T10:16:00Z'),
      },
    ]);
    expect(JSON.parse(cursor)).toEqual({ since: '2026-11-21T10:17:00.000Z', earlier: 'read' });
  });

  it('has the time of an opt-out from the history of the field, where the organization tracks it', async () => {
    const [contact, lead] = (['Contact', 'Lead'] as const).map((object) => add(object, {}));
    fake.track(true);
    const change = (time: string, fields: Record<string, string | boolean>) => {
      fake.setTime(new Date(time));
      for (const { Id } of [contact, lead] as FakeRecord[]) fake.edit(Id, fields);
    };
    change('2026-11-21T10:31:00Z', { HasOptedOutOfEmail: true });
    change('2026-11-21T10:32:00Z', { HasOptedOutOfEmail: false });
    change('2026-11-21T10:33:00Z', { HasOptedOutOfEmail: true });
    change('2026-11-21T10:34:00Z', { LastName: 'Lee-Meyer' });
    fake.track(false);
    fake.setTime(new Date('2026-11-20T08:00:00Z'));
    const { standings = [] } = await look(
      JSON.stringify({ since: '2026-11-21T10:33:30.000Z', earlier: 'read' }),
    );
    for (const record of [contact, lead]) {
      expect(standings).toContainEqual(
        expect.objectContaining({ record: record?.Id, hasLeft: true, at: new Date('2026-11-21T10:33:00Z') }),
      );
    }
  });

  it('loses one row that it cannot read, and no other', async () => {
    const row = (Id: string, more: object) => ({ Id, HasOptedOutOfEmail: true, ...more });
    const records = [
      row('003000000000777AAA', { Email: 'a@b.example', SystemModstamp: LATER }),
      row('003000000000778AAA', { Email: 'b@b.example', SystemModstamp: 'soon' }),
    ];
    await bench.api.call({ method: 'GET', path: '/services/data/v62.0/sobjects/Lead/describe' });
    fake.trouble({ status: 200, body: JSON.stringify({ records, done: true }) });
    const { standings = [] } = await look(
      JSON.stringify({ since: '2026-11-21T23:00:00.000Z', earlier: 'read' }),
    );
    expect(standings).toMatchObject([{ record: '003000000000777AAA', hasLeft: true }]);
  });

  it.each(['Contact', 'Lead'] as const)(
    '2: reads opt-outs even without access to the bounces of a %s',
    async (object) => {
      const SystemModstamp = '2026-11-21T10:30:00.000+0000';
      const { Email } = add(object, { HasOptedOutOfEmail: true, SystemModstamp });
      fake.secure(`${object}.EmailBouncedDate`, 'hidden');
      const { standings } = await look(JSON.stringify({ since: '2026-11-21T10:29:00.000Z' }));
      fake.secure(`${object}.EmailBouncedDate`, 'open');
      expect(standings).toContainEqual(expect.objectContaining({ hasLeft: true, email: Email }));
    },
  );

  it('2: reports when it can no longer see opt-outs', async () => {
    fake.secure('Lead.HasOptedOutOfEmail', 'hidden');
    await expect(look(CURSOR)).rejects.toThrow('Email Opt Out (Lead)');
  });

  it('polls all pages, and never gets stuck on many changes at once', async () => {
    const SystemModstamp = '2026-11-21T12:00:00.000+0000';
    for (let count = 0; count < 2050; count += 1) {
      add('Contact', { HasOptedOutOfEmail: true, SystemModstamp });
    }
    const since = '2026-11-21T12:00:00.000Z';
    const { standings = [] } = await look(JSON.stringify({ since, earlier: 'read' }));
    expect(new Set(standings.map(({ record }) => record)).size).toBe(2050);
  });

  it('6: polls less often when the calls for the day are nearly used up', async () => {
    fake.use(4600);
    const start = JSON.stringify({ since: '2026-11-21T13:00:00.000Z' });
    const first = await look(start);
    expect(JSON.parse(first.cursor)).toMatchObject({ notBefore: '2026-11-21T10:30:00.000Z' });
    const before = fake.seen.length;
    expect(await look(first.cursor)).toEqual({ events: [], standings: [], cursor: first.cursor });
    expect(fake.seen.length).toBe(before);
    const past = JSON.stringify({ since: '2026-11-21T13:00:00.000Z', notBefore: '2026-11-21T09:59:00.000Z' });
    fake.use(18);
    expect(JSON.parse((await look(past)).cursor)).toEqual({
      since: '2026-11-21T13:00:00.000Z',
      earlier: 'read',
    });
  });
}

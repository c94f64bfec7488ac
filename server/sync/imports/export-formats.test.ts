import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ImportMapping } from '#contract/imports.ts';
import { ColumnCounter } from './column-samples.ts';
import { type CsvRow, openCsv } from './csv-file.ts';
import { recognizeExport } from './export-formats.ts';
import { suggestMapping } from './mapping.ts';
import { type ReadRow, readFields } from './row-preferences.ts';

/* Files written from the descriptions of the tools' exports, of people who don't exist. */
const EXPORTS = join(import.meta.dirname, 'exports');

const list = (name: string) => ({ id: `our ${name}`, name, translations: [] });
const [weekly, offers] = [list('Weekly news'), list('Offers')];

async function readExport(name: string, lists = [weekly]) {
  return readFile(name, createReadStream(join(EXPORTS, name)), lists);
}

async function readFile(name: string, file: AsyncIterable<Buffer>, lists = [weekly]) {
  const { columns, rows } = await openCsv(file);
  const read: CsvRow[] = [];
  const counter = new ColumnCounter(columns);
  for await (const row of rows) {
    read.push(row);
    counter.add(row);
  }
  const recognized = recognizeExport(columns, name);
  const preview = read.map(({ fields }) => fields);
  const mapping = suggestMapping(columns, preview, lists, null, recognized?.mapping);
  const dateOrders = counter.sampled().map(({ date_order }) => date_order);
  const people = read.map((row) =>
    readFields(row, { columns, mapping: mapping as ImportMapping, dateOrders }),
  );
  return { recognized, mapping, people };
}

const readText = (text: string, name = 'people.csv', lists = [weekly]) =>
  readFile(name, Readable.from([Buffer.from(text)]), lists);

/** A row in short: what it does to lists, to everything, and what goes into the evidence. */
const inShort = ({ email, preferences, problem }: ReadRow) =>
  problem ?? [
    email?.split('@')[0],
    [
      ...(preferences?.lists ?? []).map(({ of, subscribed }) => `${subscribed ? '+' : '-'}${of}`),
      ...(preferences?.leaves ? ['left all'] : []),
    ].join(' '),
    preferences?.file?.suppression ?? null,
  ];

describe('an export', () => {
  const MAILCHIMP_EVIDENCE = {
    confirmed_at: 'CONFIRM_TIME',
    consent_at: 'OPTIN_TIME',
    consent_ip: 'OPTIN_IP',
  };

  it.each([
    [
      'subscribed_email_audience_export_0a1b2c3d4e.csv',
      { tool: 'Mailchimp', part: 'subscribed', is_certain: true },
      { ...MAILCHIMP_EVIDENCE, everyone: { state: 'subscribed', list_id: weekly.id } },
      [
        ['nora.lind', '+our Weekly news', null],
        ['max.ort', '+our Weekly news', null],
      ],
    ],
    [
      'unsubscribed_email_audience_export_0a1b2c3d4e.csv',
      { tool: 'Mailchimp', part: 'unsubscribed', is_certain: true },
      {
        ...MAILCHIMP_EVIDENCE,
        everyone: { state: 'unsubscribed' },
        suppressions: [{ column: 'UNSUB_TIME', state: 'unsubscribed' }],
        suppression_reason: 'UNSUB_REASON',
      },
      [
        ['ida.berg', 'left all', 'unsubscribed'],
        ['ben.falk', 'left all', 'unsubscribed'],
      ],
    ],
    [
      'cleaned_email_audience_export_0a1b2c3d4e.csv',
      { tool: 'Mailchimp', part: 'cleaned', is_certain: true },
      {
        ...MAILCHIMP_EVIDENCE,
        everyone: { state: 'bounced' },
        suppressions: [{ column: 'CLEAN_TIME', state: 'bounced' }],
      },
      [['old.box', '', 'bounced']],
    ],
    [
      'listmonk.csv',
      { tool: 'listmonk', part: 'contacts', is_certain: true },
      { all: 'status', lists: [] },
      [
        // "enabled" proves no opt-in.
        ['vera.hill', '', null],
        ['tom.weir', 'left all', 'blocked'],
        ['una.roth', 'left all', 'blocked'],
      ],
    ],
    [
      'ghost.csv',
      { tool: 'Ghost', part: 'contacts', is_certain: true },
      { lists: [{ column: 'subscribed_to_emails', list_id: weekly.id }] },
      [
        ['lena.kurz', '+our Weekly news', null],
        ['otto.wild', '-our Weekly news', null],
      ],
    ],
    [
      'email_list.small-hours.csv',
      { tool: 'Substack', part: 'contacts', is_certain: true },
      // Without a paid subscription, people still get the free emails.
      { all: 'email_disabled', lists: [] },
      [
        ['ina.dorn', '', null],
        ['jan.moor', 'left all', null],
      ],
    ],
    [
      'beehiiv.csv',
      { tool: 'beehiiv', part: 'contacts', is_certain: true },
      {
        lists: [{ column: 'status', list_id: weekly.id }],
        suppressions: [{ column: 'unsubscribed_at', state: 'unsubscribed' }],
      },
      [
        ['rosa.klein', '+our Weekly news', null],
        ['emil.stark', '-our Weekly news', 'unsubscribed'],
      ],
    ],
    [
      'contacts_export_2026_02_03_10_20_30.csv',
      { tool: 'Mautic', part: 'contacts', is_certain: true },
      { lists: [] },
      [['kim.adler', '', null]],
    ],
    [
      'brevo.csv',
      { tool: 'Brevo', part: 'contacts', is_certain: true },
      { all: 'EMAIL_BLACKLISTED', lists: [] },
      [
        ['pia.nord', '', null],
        ['leo.sand', 'left all', null],
      ],
    ],
    [
      'klaviyo.csv',
      { tool: 'Klaviyo', part: 'contacts', is_certain: false },
      {
        lists: [{ column: 'Email Marketing Consent', list_id: weekly.id }],
        consent_at: 'Email Marketing Consent Timestamp',
        source: 'Source',
      },
      [
        ['mia.frost', '+our Weekly news', null],
        ['nils.hart', '-our Weekly news', 'unsubscribed'],
        ['ada.lux', '', 'unconfirmed'],
        ['bob.rein', '', 'bounced'],
      ],
    ],
    [
      'subscribed_members_export_0a1b2c3d4e.csv',
      { tool: 'Mailchimp', part: 'subscribed', is_certain: true },
      // The audience names its own columns, and the address is found by what is in it.
      {
        ...MAILCHIMP_EVIDENCE,
        email: 'Deine E-Mail Adresse',
        everyone: { state: 'subscribed', list_id: weekly.id },
      },
      [['jana.fels', '+our Weekly news', null]],
    ],
    [
      'nonsubscribed_email_audience_export_0a1b2c3d4e.csv',
      { tool: 'Mailchimp', part: 'nonsubscribed', is_certain: true },
      { ...MAILCHIMP_EVIDENCE, lists: [] },
      [['shop.guest', '', null]],
    ],
    [
      'ghost-with-gifts.csv',
      { tool: 'Ghost', part: 'contacts', is_certain: true },
      { lists: [{ column: 'subscribed_to_emails', list_id: weekly.id }] },
      [['cora.fern', '+our Weekly news', null]],
    ],
    [
      'ghost-with-products.csv',
      { tool: 'Ghost', part: 'contacts', is_certain: true },
      { lists: [{ column: 'subscribed_to_emails', list_id: weekly.id }] },
      [['dora.moss', '-our Weekly news', null]],
    ],
    [
      'hubspot-unsubscribes-and-bounces.csv',
      { tool: 'HubSpot', part: 'suppressed', is_certain: true },
      {
        email: 'Email',
        all: 'Portal Unsubscribe',
        // "TRUE" there means unsubscribed from this type, so that it is not our list.
        lists: [],
        suppressions: [
          { column: 'Portal Bounce', state: 'bounced' },
          { column: 'Global Bounce', state: 'bounced' },
          { column: 'Portal Spam Report', state: 'complained' },
        ],
      },
      [
        ['away', 'left all', null],
        ['spam.button', 'left all', 'complained'],
        ['full.box', '', 'bounced'],
        ['dead.box', '', 'bounced'],
        ['elsewhere.dead', '', 'bounced'],
        ['weekly.only', '', null],
      ],
    ],
    [
      'hubspot-contacts.csv',
      { tool: 'HubSpot', part: 'contacts', is_certain: false },
      { all: 'Unsubscribed from all email', lists: [] },
      [
        ['gwen.moss', '', null],
        ['hugo.park', 'left all', null],
      ],
    ],
    [
      'sendgrid-contacts.csv',
      { tool: 'SendGrid', part: 'contacts', is_certain: false },
      { email: 'EMAIL', lists: [] },
      [['ines.bay', '', null]],
    ],
    [
      'suppression_bounces.csv',
      { tool: 'SendGrid', part: 'bounced', is_certain: false },
      {
        everyone: { state: 'bounced' },
        suppressions: [{ column: 'created', state: 'bounced' }],
        suppression_reason: 'reason',
      },
      [['gone.box', '', 'bounced']],
    ],
    [
      'suppression_spam_reports.csv',
      { tool: 'SendGrid', part: 'complained', is_certain: false },
      { everyone: { state: 'complained' }, suppressions: [{ column: 'created', state: 'complained' }] },
      [['angry.reader', 'left all', 'complained']],
    ],
    [
      'suppression_unsubscribes.csv',
      { tool: 'SendGrid', part: 'unsubscribed', is_certain: false },
      { everyone: { state: 'unsubscribed' }, suppressions: [{ column: 'created', state: 'unsubscribed' }] },
      [['left.them', 'left all', 'unsubscribed']],
    ],
    [
      'salesforce-contacts.csv',
      { tool: 'Salesforce', part: 'contacts', is_certain: false },
      {
        all: 'HasOptedOutOfEmail',
        suppressions: [{ column: 'EmailBouncedDate', state: 'bounced' }],
        lists: [],
      },
      [
        ['kai.reed', '', null],
        ['lou.dale', 'left all', null],
        ['max.void', '', 'bounced'],
      ],
    ],
    [
      'salesforce-report.csv',
      { tool: 'Salesforce', part: 'contacts', is_certain: false },
      { all: 'Email Opt Out', lists: [] },
      [
        ['mira.holm', '', null],
        ['noel.vik', 'left all', null],
        // The report's footer.
        expect.stringContaining('5'),
        expect.stringContaining('5'),
      ],
    ],
    [
      'kit-subscribers.csv',
      { tool: 'Kit', part: 'contacts', is_certain: false },
      { email: 'email', lists: [{ column: 'status', list_id: weekly.id }] },
      [
        ['olga.rhee', '+our Weekly news', null],
        ['paul.stone', '-our Weekly news', 'unsubscribed'],
        ['quin.lake', '', 'unconfirmed'],
        ['rita.field', '', 'bounced'],
        ['sven.brook', 'left all', 'complained'],
        // Nothing says whether they receive anything.
        '"status" says "cold". Write yes or no, or subscribed or unsubscribed.',
      ],
    ],
    [
      'kit-export.csv',
      { tool: 'Kit', part: 'contacts', is_certain: false },
      { email: 'email_address', lists: [{ column: 'state', list_id: weekly.id }] },
      [
        ['ulla.west', '+our Weekly news', null],
        ['vito.east', '-our Weekly news', 'unsubscribed'],
      ],
    ],
    [
      'activecampaign.csv',
      { tool: 'ActiveCampaign', part: 'contacts', is_certain: false },
      { lists: [{ column: 'Status', list_id: weekly.id }] },
      [
        ['wanda.hill', '+our Weekly news', null],
        ['xaver.dorn', '-our Weekly news', 'unsubscribed'],
        ['yara.klee', '', 'unconfirmed'],
        ['zeno.wolf', '', 'bounced'],
      ],
    ],
    [
      'email_list.late-hours.csv',
      { tool: 'Substack', part: 'contacts', is_certain: false },
      { all: 'email_disabled', lists: [] },
      [
        ['anna.silk', '', null],
        ['bert.oak', 'left all', null],
      ],
    ],
  ])('%s is recognized and mapped without a click', async (name, recognized, mapping, people) => {
    const found = await readExport(name);
    expect(found.recognized).toMatchObject(recognized);
    expect(found.mapping).toMatchObject(mapping);
    expect(found.people.map(inShort)).toEqual(people);
  });

  /** Each format that is described anywhere, line by line; `null`: no header of it is known. */
  const FORMATS: [format: string, file: string | null, as: 'certain' | 'guess' | 'not recognized'][] = [
    ['Mailchimp: subscribed', 'subscribed_email_audience_export_0a1b2c3d4e.csv', 'certain'],
    ['Mailchimp: subscribed, older name, own labels', 'subscribed_members_export_0a1b2c3d4e.csv', 'certain'],
    ['Mailchimp: unsubscribed', 'unsubscribed_email_audience_export_0a1b2c3d4e.csv', 'certain'],
    ['Mailchimp: cleaned', 'cleaned_email_audience_export_0a1b2c3d4e.csv', 'certain'],
    [
      'Mailchimp: never subscribed, by its name',
      'nonsubscribed_email_audience_export_0a1b2c3d4e.csv',
      'certain',
    ],
    ['Kit: status', 'kit-subscribers.csv', 'guess'],
    ['Kit: state and tags', 'kit-export.csv', 'guess'],
    ['ActiveCampaign', 'activecampaign.csv', 'guess'],
    ['HubSpot: contacts', 'hubspot-contacts.csv', 'guess'],
    ['HubSpot: unsubscribes and bounces', 'hubspot-unsubscribes-and-bounces.csv', 'certain'],
    ['Brevo', 'brevo.csv', 'certain'],
    ['SendGrid: contacts', 'sendgrid-contacts.csv', 'guess'],
    ['SendGrid: bounces', 'suppression_bounces.csv', 'guess'],
    // They block nobody, and look like bounces.
    ['SendGrid: blocks', 'suppression_blocks.csv', 'not recognized'],
    ['SendGrid: spam reports', 'suppression_spam_reports.csv', 'guess'],
    ['SendGrid: global unsubscribes', 'suppression_unsubscribes.csv', 'guess'],
    ['SendGrid: group unsubscribes, invalid emails', null, 'not recognized'],
    ['Campaign Monitor', null, 'not recognized'],
    ['Sendlane', null, 'not recognized'],
    ['Drip', null, 'not recognized'],
    ['Salesforce: contacts and leads', 'salesforce-contacts.csv', 'guess'],
    ['Salesforce: report', 'salesforce-report.csv', 'guess'],
    ['listmonk', 'listmonk.csv', 'certain'],
    ['Mautic', 'contacts_export_2026_02_03_10_20_30.csv', 'certain'],
    ['Ghost: tiers', 'ghost.csv', 'certain'],
    ['Ghost: gifts', 'ghost-with-gifts.csv', 'certain'],
    ['Ghost: products', 'ghost-with-products.csv', 'certain'],
    ['Klaviyo', 'klaviyo.csv', 'guess'],
    ['Substack: older', 'email_list.small-hours.csv', 'certain'],
    ['Substack: newer', 'email_list.late-hours.csv', 'guess'],
    ['beehiiv', 'beehiiv.csv', 'certain'],
  ];

  it.each(FORMATS.flatMap(([format, file, as]) => (file === null ? [] : [[format, file, as] as const])))(
    'of %s (%s) is recognized as: %s',
    async (_format, file, as) => {
      const { recognized } = await readExport(file);
      const found = recognized === null ? 'not recognized' : recognized.is_certain ? 'certain' : 'guess';
      expect(found).toBe(as);
    },
  );

  it('has a fixture for each format with a known header', () => {
    const files = FORMATS.flatMap(([, file]) => file ?? []);
    expect(readdirSync(EXPORTS).toSorted()).toEqual(files.toSorted());
  });

  it('that we recognize is named in the handbook, as certain or as a guess', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/handbook/imports.md'), 'utf8');
    const rowOf = (start: string) => page.split('\n').find((line) => line.startsWith(start)) ?? '';
    const rows = {
      certain: rowOf('| **This is an export from …**'),
      guess: rowOf('| **This looks like an export from …**'),
    };
    for (const [, file, as] of FORMATS) {
      if (file === null || as === 'not recognized') continue;
      const { recognized } = await readExport(file);
      expect(rows[as]).toContain(recognized?.tool);
    }
    expect(rows.certain).toContain('HubSpot’s unsubscribes and bounces');
  });

  it('brings dates, IP addresses, source and reason into the evidence, and the row', async () => {
    const ofMailchimp = await readExport('unsubscribed_email_audience_export_0a1b2c3d4e.csv');
    expect(ofMailchimp.people[0]?.preferences?.file).toEqual({
      rows: [2],
      suppression: 'unsubscribed',
      consent_at: '2023-06-01T07:00:00.000Z',
      consent_ip: '198.51.100.9',
      suppressed_at: '2025-02-03T06:40:11.000Z',
      reason: 'NO_LONGER',
    });
    const ofBeehiiv = await readExport('beehiiv.csv');
    expect(ofBeehiiv.people[1]?.preferences?.file?.suppressed_at).toBe('2024-09-01T06:00:30.000Z');
    // In seconds since 1970.
    const ofSendGrid = await readExport('suppression_unsubscribes.csv');
    expect(ofSendGrid.people[0]?.preferences?.file?.suppressed_at).toBe('2024-03-02T09:15:00.000Z');
    const ofKlaviyo = await readExport('klaviyo.csv');
    expect(ofKlaviyo.people[0]?.preferences?.file).toMatchObject({ source: 'Footer form' });
  });

  it('of subscribed people names no list where there are several', async () => {
    const found = await readExport('subscribed_email_audience_export_0a1b2c3d4e.csv', [weekly, offers]);
    expect(found.mapping).not.toHaveProperty('everyone');
  });
});

describe('a time of leaving', () => {
  it('unsubscribes, and never subscribes', async () => {
    const found = await readText(`email,first_name,last_name,tags,subscribed_at,unsubscribed_at,subscribed
keeps@example.com,Ann,A,vip,2023-01-04 10:00:00,,yes
left@example.com,Bob,B,vip,2023-01-04 10:00:00,2024-05-20 11:00:00,yes
undated@example.com,Cy,C,vip,2023-01-04 10:00:00,some time in May,yes
`);
    expect(found.mapping).toMatchObject({
      consent_at: 'subscribed_at',
      suppressions: [{ column: 'unsubscribed_at', state: 'unsubscribed' }],
    });
    expect(found.people.map(inShort)).toEqual([
      ['keeps', '+our Weekly news', null],
      ['left', '+our Weekly news left all', 'unsubscribed'],
      ['undated', '+our Weekly news left all', 'unsubscribed'],
    ]);
    expect(found.people.map(({ preferences }) => preferences?.file?.suppressed_at)).toEqual([
      undefined,
      '2024-05-20T11:00:00.000Z',
      undefined,
    ]);
  });

  it('is ignored if a sign-up in the same row is later, and the row says so', async () => {
    const { people } = await readText(`email,newsletter status,signup date,unsubscribed_at
back@example.com,subscribed,2025-01-02,2024-05-20
same@example.com,subscribed,2024-05-20,2024-05-20
said@example.com,unsubscribed,2025-01-02,2024-05-20
`);
    expect(people.map(inShort)).toEqual([
      ['back', '+our Weekly news', null],
      ['same', '+our Weekly news left all', 'unsubscribed'],
      // The status itself says it, whatever the times are.
      ['said', '-our Weekly news', 'unsubscribed'],
    ]);
    expect(people.map(({ preferences }) => preferences?.remark)).toEqual([
      'The file says that they unsubscribed or bounced on 2024-05-20 and signed up on 2025-01-02. The later one counts.',
      undefined,
      undefined,
    ]);
  });

  it('may be in the column of those who left everything', async () => {
    const { mapping, people } = await readText(`email,Weekly news,Unsubscribed,signup date
left@example.com,yes,20.05.2024 11:00,
stays@example.com,yes,,
back@example.com,yes,2024-05-20,2025-01-01
`);
    expect(mapping.all).toBe('Unsubscribed');
    expect(people.map(inShort)).toEqual([
      ['left', '+our Weekly news left all', null],
      ['stays', '+our Weekly news', null],
      ['back', '+our Weekly news', null],
    ]);
  });

  it('of a bounce subscribes nobody, and one of a complaint unsubscribes', async () => {
    const { people } = await readText(`email,Weekly news,bounced_at,Spam complaint date,unsubscribed_at
a@example.com,yes,2024-05-20,,
b@example.com,yes,,2024-05-20,
c@example.com,yes,NULL,0000-00-00 00:00:00,n/a
`);
    expect(people.map(inShort)).toEqual([
      ['a', '', 'bounced'],
      ['b', 'left all', 'complained'],
      ['c', '+our Weekly news', null],
    ]);
  });

  it.each([
    ['unsubscribed_at', 'unsubscribedAt', 'Unsubscribe date', 'UNSUB_TIME', 'Opt-out date', 'opted_out_at'],
    ['date_unsubscribed', 'Unsubscribed on', 'optOutTimestamp', 'Email opt-out time', 'left at'],
    ['Fecha de baja', 'fecha_desuscripción', 'Fecha de cancelación de la suscripción'],
    ['Abmeldedatum', 'Abgemeldet am', 'Zeitpunkt der Abmeldung', 'Austragungsdatum', 'abbestellt_am'],
    ['Date de désinscription', 'Désabonné le jour', 'date_desabonnement'],
    ['Data disiscrizione', 'Data di cancellazione', 'disiscritto_ora'],
    ['Datum odjave', 'Čas odjave', 'odjavljen_dne'],
    ['Data dezabonării', 'dezabonat_data'],
    ['Data wypisania', 'data rezygnacji', 'Wypisany dnia'],
  ])('is recognized by the name of its column: %s and the like', async (...names) => {
    for (const name of names) {
      const { people } = await readText(`email,Weekly news,${name}\na@example.com,yes,2024-05-20\n`);
      expect(people.map(inShort), name).toEqual([['a', '+our Weekly news left all', 'unsubscribed']]);
    }
  });

  it.each([
    ['Bounced on', 'Rückläufer-Datum', 'Fecha de rebote', 'Data rimbalzo', 'Data odbicia', 'is_bounced'],
  ])('of a bounce is recognized, too: %s and the like', async (...names) => {
    for (const name of names) {
      const cell = name.startsWith('is') ? 'true' : '2024-05-20';
      const { people } = await readText(`email,Weekly news,${name}\na@example.com,yes,${cell}\n`);
      expect(people.map(inShort), name).toEqual([['a', '', 'bounced']]);
    }
  });

  it.each([
    ['unsubscribe_reason', '2024-05-20'],
    ['Unsubscribe link', 'https://example.com/u/1'],
    ['bounces', '1'],
    ['Spam score', '3'],
    ['Cleaning date', '2024-05-20'],
    ['Order date', '2024-05-20'],
    ['Left shoe', '2024-05-20'],
  ])('is not what “%s” contains', async (name, cell) => {
    const { people } = await readText(`email,Weekly news,${name}\na@example.com,yes,${cell}\n`);
    expect(people.map(inShort)).toEqual([['a', '+our Weekly news', null]]);
  });
});

describe('a row with an unreadable cell', () => {
  it('applies its opt-outs, and subscribes nobody', async () => {
    const { people } = await readText(
      `email,Weekly news,Offers,unsubscribed
left@example.com,perhaps,yes,yes
part@example.com,no,perhaps,
none@example.com,perhaps,yes,
short@example.com,no
long@example.com,no,yes,,,more
`,
      'people.csv',
      [weekly, offers],
    );
    expect(people.map(inShort)).toEqual([
      ['left', 'left all', null],
      ['part', '-our Weekly news', null],
      '"Weekly news" says "perhaps". Write yes or no, or subscribed or unsubscribed.',
      ['short', '-our Weekly news', null],
      ['long', '-our Weekly news', null],
    ]);
    expect(people.map(({ preferences }) => preferences?.remark)).toEqual([
      '"Weekly news" says "perhaps". Write yes or no, or subscribed or unsubscribed. We only apply what the row unsubscribes from.',
      expect.stringContaining('"Offers" says "perhaps"'),
      undefined,
      expect.stringContaining('The row has 2 cells, but the header has 4.'),
      expect.stringContaining('The row has 6 cells, but the header has 4.'),
    ]);
  });

  it('is read with what programs write for yes, no and nothing', async () => {
    const { people } = await readText(
      `email,Weekly news,Offers,unsubscribed
left1@example.com,N/A,yes,yes
left2@example.com,no,n.a.,
pandas@example.com,1.0,0.0,NaN
nothing@example.com,NaN,NULL,#N/A
`,
      'people.csv',
      [weekly, offers],
    );
    expect(people.map(inShort)).toEqual([
      ['left1', '+our Offers left all', null],
      ['left2', '-our Weekly news', null],
      ['pandas', '+our Weekly news -our Offers', null],
      ['nothing', '', null],
    ]);
  });

  it('keeps a Mailchimp opt-out that a spreadsheet saved again, whatever else is unreadable', async () => {
    const name = 'unsubscribed_email_audience_export_0a1b2c3d4e.csv';
    const head =
      'Email Address;MEMBER_RATING;OPTIN_TIME;OPTIN_IP;CONFIRM_TIME;CONFIRM_IP;UNSUB_TIME;UNSUB_REASON;LEID;EUID';
    const { recognized, people } = await readText(
      `${head}
ann@example.com;2;14.03.2024 09:30;192.0.2.7;14.03.2024 09:31;192.0.2.7;20.05.2024 11:00;NORMAL;1,23457E+11;8f1c
bob@example.com;2;3/14/2024 9:30;192.0.2.8;3/14/2024 9:31;192.0.2.8;5/20/2024 11:00;NORMAL;1,23457E+11;8f1d
cy@example.com;2;;;########;192.0.2.9;########;NORMAL;1,23457E+11;8f1e
`,
      name,
    );
    expect(recognized).toMatchObject({ tool: 'Mailchimp', part: 'unsubscribed' });
    expect(people.map(inShort)).toEqual([
      ['ann', 'left all', 'unsubscribed'],
      ['bob', 'left all', 'unsubscribed'],
      ['cy', 'left all', 'unsubscribed'],
    ]);
    const times = people.map(({ preferences }) => [
      preferences?.file?.suppressed_at,
      preferences?.file?.consent_at,
      preferences?.proof?.at,
    ]);
    expect(times).toEqual([
      ['2024-05-20T11:00:00.000Z', '2024-03-14T09:30:00.000Z', '2024-03-14T09:31:00.000Z'],
      ['2024-05-20T11:00:00.000Z', '2024-03-14T09:30:00.000Z', '2024-03-14T09:31:00.000Z'],
      [undefined, undefined, undefined],
    ]);
  });

  it('subscribes without an unreadable confirmation, and says so', async () => {
    const { people } = await readText('email,Weekly news,confirmed_at\na@example.com,yes,last spring\n');
    expect(people.map(inShort)).toEqual([['a', '+our Weekly news', null]]);
    expect(people[0]?.preferences?.remark).toContain('no confirmation is stored');
  });
});

describe('a date with an ambiguous day and month', () => {
  const timesOf = async (...cells: string[]) => {
    const rows = cells.map((cell, at) => `p${at}@example.com;yes;${cell}`);
    const { people } = await readText(['email;Weekly news;unsubscribed at', ...rows].join('\n'));
    expect(people.every(({ preferences }) => preferences?.leaves)).toBe(true);
    return people.map(({ preferences }) => preferences?.file?.suppressed_at?.slice(0, 16) ?? null);
  };

  it('is read like the unambiguous ones of its column', async () => {
    expect(await timesOf('03/04/2024', '13/04/2024 8:05')).toEqual(['2024-04-03T00:00', '2024-04-13T08:05']);
    expect(await timesOf('03/04/2024', '4/13/2024 8:05 PM')).toEqual([
      '2024-03-04T00:00',
      '2024-04-13T20:05',
    ]);
    expect(await timesOf('03-04-2024 10:11', '22-04-2024 10:11')).toEqual([
      '2024-04-03T10:11',
      '2024-04-22T10:11',
    ]);
  });

  it('has the day first where it is written with full stops', async () => {
    expect(await timesOf('03.04.2024 11:00')).toEqual(['2024-04-03T11:00']);
  });

  it('unsubscribes without its time where nothing decides', async () => {
    expect(await timesOf('03/04/2024')).toEqual([null]);
    expect(await timesOf('03/04/2024', '13/04/2024', '04/13/2024')).toEqual([
      null,
      '2024-04-13T00:00',
      '2024-04-13T00:00',
    ]);
  });
});

describe('a guess at the format', () => {
  const MAILCHIMP =
    'Email Address,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LAST_CHANGED,LEID,EUID';

  it('is called a guess, and subscribes nobody', () => {
    const columns = MAILCHIMP.split(',');
    // Contacts who never subscribed may have the same header.
    const found = recognizeExport(columns, 'people.csv');
    expect(found).toMatchObject({ tool: 'Mailchimp', part: 'subscribed', is_certain: false });
    expect(suggestMapping(columns, [], [weekly], null, found?.mapping)).not.toHaveProperty('everyone');
    expect(recognizeExport(columns, 'nonsubscribed_email_audience_export_0a1b.csv')).toMatchObject({
      part: 'nonsubscribed',
      is_certain: true,
    });
  });

  it('is made where the name and the header of a file disagree', () => {
    const columns = MAILCHIMP.replace('LAST_CHANGED', 'UNSUB_TIME').split(',');
    expect(recognizeExport(columns, 'subscribed_email_audience_export_0a1b.csv')).toMatchObject({
      part: 'unsubscribed',
      is_certain: false,
    });
  });

  it('is not made for SendGrid’s blocks, which look like its bounces', () => {
    const columns = ['status', 'reason', 'email', 'created'];
    expect(recognizeExport(columns, 'suppression_bounces.csv')).toMatchObject({ part: 'bounced' });
    expect(recognizeExport(columns, 'suppression_blocks.csv')).toBeNull();
    expect(recognizeExport(['email', 'name'], 'people.csv')).toBeNull();
  });
});

import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportMapping } from '#contract/imports.ts';
import { type CsvRow, openCsv } from './csv-file.ts';
import { recognizeExport } from './export-formats.ts';
import { suggestMapping } from './mapping.ts';
import { type ReadRow, readFields } from './row-preferences.ts';

/* Files written from the descriptions of the tools' exports, of people who don't exist. */
const EXPORTS = join(import.meta.dirname, 'exports');

const list = (name: string) => ({ id: `our ${name}`, name, translations: [] });
const [weekly, offers] = [list('Weekly news'), list('Offers')];

async function readExport(name: string, lists = [weekly]) {
  const { columns, rows } = await openCsv(createReadStream(join(EXPORTS, name)));
  const read: CsvRow[] = [];
  for await (const row of rows) read.push(row);
  const recognized = recognizeExport(columns, name);
  const preview = read.map(({ fields }) => fields);
  const mapping = suggestMapping(columns, preview, lists, null, recognized?.mapping);
  const people = read.map(({ number, fields, problem }) => {
    expect(problem).toBeNull();
    return readFields(number, fields, columns, mapping as ImportMapping);
  });
  return { recognized, mapping, people };
}

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
        suppressed_at: 'UNSUB_TIME',
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
      { ...MAILCHIMP_EVIDENCE, everyone: { state: 'bounced' }, suppressed_at: 'CLEAN_TIME' },
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
      { lists: [{ column: 'status', list_id: weekly.id }], suppressed_at: 'unsubscribed_at' },
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
  ])('%s is recognized and mapped without a click', async (name, recognized, mapping, people) => {
    const found = await readExport(name);
    expect(found.recognized).toMatchObject(recognized);
    expect(found.mapping).toMatchObject(mapping);
    expect(found.people.map(inShort)).toEqual(people);
  });

  it('has a fixture for each format that we are certain of', () => {
    expect(readdirSync(EXPORTS)).toHaveLength(10);
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
    const ofKlaviyo = await readExport('klaviyo.csv');
    expect(ofKlaviyo.people[0]?.preferences?.file).toMatchObject({ source: 'Footer form' });
  });

  it('of subscribed people names no list where there are several', async () => {
    const found = await readExport('subscribed_email_audience_export_0a1b2c3d4e.csv', [weekly, offers]);
    expect(found.mapping).not.toHaveProperty('everyone');
  });
});

describe('a guess', () => {
  const MAILCHIMP =
    'Email Address,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LAST_CHANGED,LEID,EUID';

  it('is called one, and subscribes nobody', () => {
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

  it('is what a file is whose name and header disagree', () => {
    const columns = MAILCHIMP.replace('LAST_CHANGED', 'UNSUB_TIME').split(',');
    expect(recognizeExport(columns, 'subscribed_email_audience_export_0a1b.csv')).toMatchObject({
      part: 'unsubscribed',
      is_certain: false,
    });
  });

  it('is not made about SendGrid’s blocks, which look like its bounces', () => {
    const columns = ['status', 'reason', 'email', 'created'];
    expect(recognizeExport(columns, 'suppression_bounces.csv')).toMatchObject({ part: 'bounced' });
    expect(recognizeExport(columns, 'suppression_blocks.csv')).toBeNull();
    expect(recognizeExport(['email', 'name'], 'people.csv')).toBeNull();
  });
});

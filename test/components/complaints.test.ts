import { afterEach, describe, expect, it } from 'vitest';
import { type ComplaintLevel, getComplaint, listComplaints } from '#contract/complaints.ts';
import { fact } from './fake-api.ts';
import { idOf } from './made-up.ts';
import { leave, visit } from './shots.ts';

const withLevel = (level: ComplaintLevel | null) => [
  fact(listComplaints, (made) => ({
    ...made,
    results: made.results.map((one) => ({ ...one, level })),
  })),
  fact(getComplaint, (made) => ({ ...made, level })),
];

const words = () => document.querySelector('main')?.textContent ?? '';
const BADGE = 'Email not verified';

afterEach(leave);

describe.each([
  ['the list of complaints', '/complaints'],
  ['a complaint', `/complaints/${idOf('complaint')}`],
  ['the screen of a customer', `/customers/${idOf('customer')}`],
])('%s', (_name, path) => {
  it('marks a complaint by someone who only typed the email', async () => {
    await visit(path, 'crowded', withLevel('open'));
    expect(words()).toContain(BADGE);
  });

  it.each([['proven'], [null]] as const)('marks no other: %s', async (level) => {
    await visit(path, 'crowded', withLevel(level));
    expect(words()).not.toContain(BADGE);
  });
});

it.each([
  ['open', 'It may have been someone else'],
  ['proven', 'Personal link'],
  [null, 'Not recorded'],
] as const)('a complaint says how its sender was known: %s', async (level, text) => {
  await visit(`/complaints/${idOf('complaint')}`, 'crowded', withLevel(level));
  expect(words()).toContain(text);
});

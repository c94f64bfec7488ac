import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ActionType, isToolAction } from '#contract/actions.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { presentConnector } from '#server/tools/integrations/catalogue.ts';
import { readConfig } from '#server/platform/config.ts';

/* What the owner app shows of a connector is in each of its languages. English is the connector's own. */

const fileOf = (language: string) =>
  join(import.meta.dirname, `../web/owner/locales/${language}/connectors.json`);

type Texts = Record<string, Record<string, string>>;

const textsIn = (language: string) => JSON.parse(readFileSync(fileOf(language), 'utf8')) as Texts;

/** What the API says of a connector that is no text: names, marks and words of the API. */
const NO_TEXTS = [
  'id',
  'name',
  'logo',
  'example',
  'oauth_takes',
  'operations',
  'target',
  'note_operation',
  'tells_us',
  'webhook_secret',
  'webhook_secret_source',
  'imports',
  'email_merge_tag',
];

/** Every text of it by its place: a new one needs translations without being named here. */
function textsOf(value: unknown, place: string): [string, string][] {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value !== 'object' || value === null) return [];
  const parts: [string, unknown][] = Array.isArray(value)
    ? value.map((part: { name: string }) => [part.name, part])
    : Object.entries(value).filter(([name]) => !NO_TEXTS.includes(name));
  return parts.flatMap(([name, part]) => textsOf(part, place === '' ? name : `${place}.${name}`));
}

const config = readConfig({});

const ENGLISH = Object.fromEntries(
  CONNECTORS.map((connector) => {
    const { actions, ...told } = presentConnector({ config }, connector);
    const inTool = Object.entries(actions).filter(([type]) => isToolAction(type as ActionType));
    const { inbound } = connector;
    const setup = inbound.kind === 'webhook' ? { webhook_setup: inbound.setup } : {};
    const shown = { ...told, actions: Object.fromEntries(inTool), ...setup };
    return [connector.id, Object.fromEntries(textsOf(shown, ''))];
  }),
);

/** The steps of a menu, as people find them in the tool: what is before and after each `>`. */
function stepsOf(text: string): string[] {
  const after = [...text.matchAll(/ > ([^.,>]+?)(?= >|[.,])/g)].map(([, step = '']) => step);
  const before = [...text.matchAll(/([^\s>]+) >/g)].map(([, step = '']) => step);
  return [...after, ...before].filter((step) => /^[A-Z]/.test(step));
}

/** Names of the API, addresses and numbers. */
function codesOf(text: string): string[] {
  return text.match(/\w+(?:[._/]\w+)+|(?<=\s)\.\w+|\w+-(?=[.\s])|\d+/g) ?? [];
}

it('English comes from the connectors, and is not written a second time', () => {
  expect(existsSync(fileOf('en'))).toBe(false);
  expect(Object.values(ENGLISH).flatMap((texts) => Object.keys(texts)).length).toBeGreaterThan(100);
});

describe.each(LANGUAGES.filter((language) => language !== 'en'))('%s', (language) => {
  it.each(CONNECTORS.map(({ id }) => id))('has every text of %s, and no outdated one', (id) => {
    const translated = Object.entries(textsIn(language)[id] ?? {});
    expect(translated.map(([place]) => place).toSorted()).toEqual(Object.keys(ENGLISH[id] ?? {}).toSorted());
    expect(translated.filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('has no text of an unknown tool', () => {
    expect(Object.keys(textsIn(language)).toSorted()).toEqual(CONNECTORS.map(({ id }) => id).toSorted());
  });

  it.each(CONNECTORS)('keeps the search words of $name unchanged', ({ id, name }) => {
    const translated = textsIn(language)[id] ?? {};
    const changed = Object.entries(ENGLISH[id] ?? {}).flatMap(([place, english]) => {
      const names = english.includes(name) ? [name] : [];
      const fixed = [...names, ...stepsOf(english), ...codesOf(english)];
      return fixed.filter((one) => !translated[place]?.includes(one)).map((one) => `${place}: ${one}`);
    });
    expect(changed).toEqual([]);
  });

  it('says what a tool can do in its own words', () => {
    const same = Object.entries(ENGLISH).flatMap(([id, texts]) =>
      Object.entries(texts).filter(
        ([place, english]) => place.startsWith('actions.') && textsIn(language)[id]?.[place] === english,
      ),
    );
    expect(same).toEqual([]);
  });
});

it('the steps and names that must stay are known', () => {
  expect(stepsOf('In Brevo: your name > SMTP & API > Generate a new API key. It starts.')).toEqual([
    'SMTP & API',
    'Generate a new API key',
    'API',
  ]);
  expect(codesOf('a.b_c and .write, xkeysib-. Of 150.')).toEqual(['a.b_c', '.write', 'xkeysib-', '150']);
});

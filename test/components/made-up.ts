import type { z } from 'zod';

/** How much there is of everything that can be listed. */
export type Amount = 'none' | 'some' | 'many';

const ROWS: Record<Amount, number> = { none: 0, some: 4, many: 12 };
const PARTS: Record<Amount, number> = { none: 0, some: 2, many: 7 };

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Co.';
const LONG_EMAIL =
  'a-very-long-local-part-of-an-address.with.dots@subdomain.of-a-long-company-name.example.com';

const NAMES: Record<string, readonly string[]> = {
  list: ['Weekly news', 'Offers', 'Events near you', 'Product updates'],
  page: ['Acme Outdoor', 'Acme for dealers'],
  action: ['Newsletter in Mailchimp', 'Tell the shop', 'Evidence by email', 'Tag in HubSpot'],
  integration: ['Mailchimp', 'HubSpot'],
  connector: ['Mailchimp', 'HubSpot', 'Brevo', 'Klaviyo'],
};

const PEOPLE = ['vera.lind', 'nora.berg', 'ines.duarte', 'tomasz.nowak'];

const TEXTS: Record<string, string> = {
  url: 'https://acme.example/hooks',
  method: 'POST',
  reply_to: 'help@acme.example',
  custom_path: 'preferences',
  username: 'nora',
  first_name: 'Nora',
  last_name: 'Berg',
};

interface Place {
  amount: Amount;
  /** What the nearest thing with an id is. */
  noun: string;
  /** The nearest row. */
  row: number;
  key: string;
}

/** The same thing has the same id in every answer. */
export function idOf(noun: string, row = 0): string {
  const kind = [...noun].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 0xffff, 7);
  return `0198c0de-7000-7000-8${kind.toString(16).padStart(4, '0').slice(1)}-${row.toString(16).padStart(12, '0')}`;
}

const NOUNS: Record<string, string> = { notification_list: 'list', 'preference-page': 'page', actor: 'user' };

/** `list_ids`, `list_id` and the `id` of `lists` are all those of lists. */
export function nounOf(word: string): string {
  const one = word
    .replace(/_ids?$/, '')
    .replace(/ies$/, 'y')
    .replace(/s$/, '');
  return NOUNS[one] ?? one;
}

function textOf({ key, noun, row, amount }: Place): string {
  const fixed = TEXTS[key];
  if (fixed !== undefined) return fixed;
  const isLong = amount === 'many' && row % 5 === 0;
  if (key.includes('email')) return isLong ? LONG_EMAIL : `${PEOPLE[row % PEOPLE.length]}@example.com`;
  if (/name|label/.test(key)) {
    const names = NAMES[key === 'name' ? noun : nounOf(key.replace(/_name$/, ''))];
    if (isLong) return LONG;
    return names?.[row] ?? `${noun.replace(/^./, (first) => first.toUpperCase())} ${row + 1}`;
  }
  if (key.endsWith('url')) return `https://acme.example/${noun}/${row + 1}`;
  return isLong ? `${LONG} ${LONG}` : key.replaceAll('_', ' ');
}

const timeOf = (row: number) => new Date(Date.UTC(2026, 10, 20, 9, 14) - row * 3_600_000).toISOString();

function stringOf(format: string | undefined, place: Place): string {
  const { key, noun, row } = place;
  if (format === 'uuid') return idOf(key === 'id' ? noun : nounOf(key), row);
  if (format === 'datetime') return timeOf(row);
  if (/(^|_)id$/.test(key)) return idOf(key === 'id' ? noun : nounOf(key), row);
  return textOf(place);
}

const pick = <One>(all: readonly One[], row: number) => all[row % all.length] as One;

function objectOf(shape: Record<string, z.core.$ZodType>, place: Place): Record<string, unknown> {
  const noun = 'id' in shape && !['results', 'id'].includes(place.key) ? nounOf(place.key) : place.noun;
  const parts = Object.entries(shape).map(([key, part]) => [key, madeUp(part, { ...place, noun, key })]);
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined)) as Record<string, unknown>;
}

function arrayOf(element: z.core.$ZodType, place: Place): unknown[] {
  const isListing = place.key === 'results';
  const options = (element as z.core.$ZodTypes)._zod.def;
  const most = options.type === 'enum' ? Object.keys(options.entries).length : Infinity;
  const length = Math.min((isListing ? ROWS : PARTS)[place.amount], most);
  return Array.from({ length }, (_, row) => madeUp(element, { ...place, row }));
}

/** What a schema allows, by the names of its fields: the contract itself says what a made-up answer has. */
export function madeUp(schema: z.core.$ZodType, place: Place): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return objectOf(def.shape, place);
    case 'array':
      return arrayOf(def.element, place);
    case 'enum':
      return pick(Object.values(def.entries), place.row);
    case 'literal':
      return pick(def.values, place.row);
    case 'union':
      return madeUp(pick(def.options, place.row), place);
    case 'string':
      return stringOf('format' in def ? String(def.format) : undefined, place);
    case 'number':
      return place.amount === 'none' ? 0 : place.row + 1;
    case 'boolean':
      return false;
    case 'record':
      return recordOf(def, place);
    case 'default':
    case 'prefault':
      return madeUp(def.innerType, place);
    case 'pipe':
      return madeUp(def.in, place);
    case 'nullable':
    case 'null':
      return null;
    case 'optional':
      return undefined;
    case 'unknown':
      return {};
    default:
      throw new Error(`Nothing is known about a ${def.type}, such as ${place.key}`);
  }
}

function recordOf({ keyType, valueType }: z.core.$ZodRecordDef, place: Place): Record<string, unknown> {
  const { def } = (keyType as z.core.$ZodTypes)._zod;
  const keys = def.type === 'enum' ? Object.keys(def.entries) : [];
  return Object.fromEntries(keys.map((key) => [key, madeUp(valueType, { ...place, key })]));
}

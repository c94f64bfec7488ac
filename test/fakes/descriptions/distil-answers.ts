import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, fieldsOf, isFields, type Json, put } from './distil-json.ts';

/*
 * What answers of real accounts tell of operations: names and types, what may be missing or null, and never a value.
 * Nothing is told of the requests.
 */

const FAILURES = [
  'custom_api_error',
  'expired_oauth_token_api_error',
  'invalid_oauth_token_api_error',
  'revoked_oauth_token_api_error',
];

/** Which fixture of the tool's own library answers which operation. */
const CAMPAIGN_MONITOR: Record<string, string[]> = {
  'get /clients.json': ['clients'],
  'get /clients/{client}/lists.json': ['lists'],
  'get /clients/{client}/listsforemail.json': ['listsforemail'],
  'get /clients/{client}/suppressionlist.json': ['suppressionlist'],
  'get /lists/{list}/customfields.json': ['custom_fields'],
  'get /lists/{list}/active.json': ['active_subscribers'],
  'get /lists/{list}/unconfirmed.json': ['unconfirmed_subscribers'],
  'get /lists/{list}/unsubscribed.json': ['unsubscribed_subscribers'],
  'get /lists/{list}/bounced.json': ['bounced_subscribers'],
  'get /lists/{list}/deleted.json': ['deleted_subscribers'],
  'get /lists/{list}/webhooks.json': ['list_webhooks'],
  'post /lists/{list}/webhooks.json': ['create_list_webhook'],
  'get /subscribers/{list}.json': ['subscriber_details', 'subscriber_details_with_track_and_sms_pref'],
  'post /subscribers/{list}/import.json': ['import_subscribers'],
};

const HUBSPOT_CONTACTS = '/crm/v3/objects/contacts';
const HUBSPOT_COMPANIES = '/crm/v3/objects/companies';
const LIST = '/3.0/lists/{list}';
const ROWS = '/services/data/{version}/composite/sobjects';

/**
 * By tool and operation: the recorded calls that tell of its answer. Those of another method, kind of object or version
 * are answered alike.
 */
const RECORDED: Record<string, Record<string, string[]>> = {
  activecampaign: {
    'get /lists': ['get /3/lists'],
    'get /tags': ['get /3/tags'],
    'post /tags': ['post /3/tags'],
    'get /automations': ['get /3/automations'],
    'get /fields': ['get /3/fields'],
    'get /contacts': ['get /3/contacts'],
    'post /contact/sync': ['post /3/contact/sync'],
    'delete /contacts/{id}': ['delete /3/contacts/{id}'],
    'post /contactLists': ['post /3/contactLists'],
    'post /contactTags': ['post /3/contactTags'],
  },
  hubspot: {
    'get /account-info/{version}/details': ['get /account-info/v3/details'],
    'get /crm/objects/{version}/contacts/{id}': [`get ${HUBSPOT_CONTACTS}/{id}`],
    'post /crm/objects/{version}/contacts': [`post ${HUBSPOT_CONTACTS}`],
    'patch /crm/objects/{version}/contacts/{id}': [`patch ${HUBSPOT_CONTACTS}/{id}`],
    'post /crm/objects/{version}/contacts/search': [`post ${HUBSPOT_COMPANIES}/search`],
    'post /crm/objects/{version}/contacts/batch/create': [`post ${HUBSPOT_COMPANIES}/batch/create`],
    'get /crm/properties/{version}/contacts': ['get /crm/v3/properties/companies'],
  },
  mailchimp: {
    'get /lists': ['get /3.0/lists'],
    'get /lists/{list}': [`get ${LIST}`],
    'get /lists/{list}/segments': [`get ${LIST}/segments`],
    'get /lists/{list}/segments/{segment}': [`get ${LIST}/segments/{segment}`, `post ${LIST}/segments`],
    'get /lists/{list}/members': [`get ${LIST}/members`],
    'get /lists/{list}/members/{hash}': [`get ${LIST}/members/{hash}`],
    'put /lists/{list}/members/{hash}': [`post ${LIST}/members`, `patch ${LIST}/members/{hash}`],
    'patch /lists/{list}/members/{hash}': [`post ${LIST}/members`, `patch ${LIST}/members/{hash}`],
    'delete /lists/{list}/members/{hash}': [`delete ${LIST}/members/{hash}`],
    'post /lists/{list}/members/{hash}/tags': [`post ${LIST}/members/{hash}/tags`],
  },
  salesforce: {
    'get /query': ['get /services/data/{version}/query'],
    'get /query/{locator}': [
      'get /services/data/{version}/query/{locator}',
      'get /services/data/{version}/query',
    ],
    'get /sobjects/{object}/describe': ['get /services/data/{version}/sobjects/{object}/describe'],
    'post /composite/sobjects': [`post ${ROWS}`, `patch ${ROWS}`],
    'patch /composite/sobjects': [`patch ${ROWS}`, `post ${ROWS}`],
    'delete /composite/sobjects': [`delete ${ROWS}`, `patch ${ROWS}`],
  },
  sendgrid: {
    'get /v3/asm/groups': ['get /v3/asm/groups'],
    'post /v3/asm/groups/{group_id}/suppressions': ['post /v3/asm/groups/{group}/suppressions'],
    'delete /v3/asm/groups/{group_id}/suppressions/{email}': [
      'delete /v3/asm/groups/{group}/suppressions/{email}',
    ],
    'post /v3/asm/suppressions/global': ['post /v3/asm/suppressions/global'],
    'delete /v3/asm/suppressions/global/{email}': ['delete /v3/asm/suppressions/global/{email}'],
    'get /v3/marketing/lists': ['get /v3/marketing/lists'],
    'delete /v3/marketing/lists/{id}/contacts': ['delete /v3/marketing/lists/{id}/contacts'],
    'get /v3/marketing/field_definitions': ['get /v3/marketing/field_definitions'],
    'put /v3/marketing/contacts': ['put /v3/marketing/contacts'],
    'delete /v3/marketing/contacts': ['delete /v3/marketing/contacts'],
    'get /v3/marketing/contacts/imports/{id}': ['get /v3/marketing/contacts/imports/{id}'],
  },
};

/** Objects whose fields are each account's own, by their names, with the fields that all of them have. */
const OWN: Record<string, string[]> = {
  links: [],
  merge_fields: [],
  properties: [],
  'records[]': ['attributes'],
};

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

function typesOf(samples: Json[]): Json {
  const types = [...new Set(samples.map(typeOf))];
  return types.length === 1 ? (types[0] ?? '') : types;
}

/** What is true of all the samples: names, types, what may be null; never a value. */
function shapeOf(samples: Json[], where = ''): Fields {
  const objects = samples.filter(isFields);
  const items = samples.flatMap((sample) => (Array.isArray(sample) ? sample : []));
  const all = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const names = OWN[where] ?? all;
  const valuesOf = (name: string) => objects.flatMap((one) => (one[name] === undefined ? [] : [one[name]]));
  const others = all.filter((name) => !names.includes(name)).flatMap(valuesOf);
  const type = typesOf(samples);
  return {
    // What was never there could be anything.
    ...(type !== 'null' && { type }),
    ...(objects.length > 0 && {
      properties: Object.fromEntries(names.map((name) => [name, shapeOf(valuesOf(name), name)])),
      required: names.filter((name) => objects.every((one) => name in one)),
    }),
    ...(others.length > 0 && { additionalProperties: { type: typesOf(others) } }),
    ...(items.length > 0 && { items: shapeOf(items, `${where}[]`) }),
  };
}

const answerOf = (samples: Json[]): Fields =>
  samples.length === 0 ? {} : { content: { 'application/json': { schema: shapeOf(samples) } } };

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Json;

export function distilFixtures(folder: string): Fields {
  const shape = (names: string[]) => answerOf(names.map((name) => readJson(join(folder, `${name}.json`))));
  const failure = shape(FAILURES);
  const paths: Fields = {};
  for (const [wanted, names] of Object.entries(CAMPAIGN_MONITOR)) {
    const good = wanted.startsWith('post') ? '201' : '200';
    const partly = wanted.endsWith('/import.json') ? shape(['import_subscribers_partial_success']) : failure;
    const responses = { [good]: shape(names), '400': partly, '401': failure, '404': failure };
    put(paths, wanted, { operationId: wanted, responses });
  }
  return paths;
}

interface Recording {
  /** `get /3/lists/4`. */
  call: string;
  status: string;
  body: Json;
  /** The day of the answer. */
  date: string;
}

/**
 * They went through a proxy that passes on the status only of an empty answer and of one that comes in chunks; every
 * other good answer is a 200 there.
 */
function statusOf({ status, headers }: Fields): string {
  const isTold = status === 204 || fieldsOf(headers)['transfer-encoding'] === 'chunked';
  return typeof status === 'number' && isTold ? String(status) : '2XX';
}

function recordingsIn(file: string): Recording[] {
  const { api } = fieldsOf(readJson(file));
  return Object.entries(fieldsOf(api)).flatMap(([method, paths]) =>
    Object.entries(fieldsOf(paths)).flatMap(([path, answers]) =>
      (Array.isArray(answers) ? answers : [answers]).map(fieldsOf).flatMap((answer) => {
        const { date } = fieldsOf(answer['headers']);
        // Without the time of an answer it was made up.
        if (typeof date !== 'string') return [];
        const day = new Date(date).toISOString().slice(0, 10);
        const { response = null } = answer;
        return [{ call: `${method} ${path}`, status: statusOf(answer), body: response, date: day }];
      }),
    ),
  );
}

const isLike = (template: string, call: string) =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(call);

/** @returns the paths of each tool */
export function distilRecordings(folder: string): Record<string, Fields> {
  return Object.fromEntries(
    Object.entries(RECORDED).map(([tool, operations]) => {
      const tests = join(folder, tool === 'activecampaign' ? 'active-campaign' : tool, 'tests');
      const files = readdirSync(tests).filter((name) => name.endsWith('.test.json'));
      const all = files.flatMap((name) => recordingsIn(join(tests, name)));
      const paths: Fields = {};
      for (const [wanted, calls] of Object.entries(operations)) {
        const alike = all.filter(({ call }) => calls.some((one) => isLike(one, call)));
        const [as = ''] = calls;
        const date = alike
          .map((one) => one.date)
          .toSorted()
          .at(-1);
        if (date === undefined) throw new Error(`There is no recording of ${as}`);
        const own = alike.filter(({ call }) => isLike(as, call));
        const statuses = [...new Set(own.map(({ status }) => status))];
        const answerAt = (status: string) =>
          status === '204' ? {} : answerOf(alike.map(({ body }) => body));
        put(paths, wanted, {
          operationId: wanted,
          'x-recorded': { date, as },
          responses: Object.fromEntries(statuses.map((status) => [status, answerAt(status)])),
        });
      }
      return [tool, paths];
    }),
  );
}

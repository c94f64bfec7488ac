import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Document, OpenAPIBackend } from 'openapi-backend';

/*
 * Makes the descriptions beside this file from the tools' own, of which they keep the facts of the operations that
 * connectors call: parameters and schemas, no prose. To renew them:
 *   node test/fakes/descriptions/distil.ts <folder with sendgrid/*.json, brevo/*.yml and campaign-monitor/fixtures>
 */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = Record<string, Json>;

const SENDGRID = {
  'tsg_scopes_v3.json': ['get /v3/scopes'],
  'tsg_user_v3.json': ['get /v3/user/profile', 'get /v3/user/username'],
  'tsg_suppressions_v3.json': [
    'get /v3/asm/groups',
    'get /v3/asm/groups/{group_id}/suppressions',
    'post /v3/asm/groups/{group_id}/suppressions',
    'delete /v3/asm/groups/{group_id}/suppressions/{email}',
    'post /v3/asm/groups/{group_id}/suppressions/search',
    'get /v3/asm/suppressions',
    'get /v3/asm/suppressions/{email}',
    'post /v3/asm/suppressions/global',
    'get /v3/asm/suppressions/global/{email}',
    'delete /v3/asm/suppressions/global/{email}',
    'get /v3/suppression/bounces',
    'get /v3/suppression/bounces/{email}',
    'get /v3/suppression/spam_reports',
    'get /v3/suppression/spam_reports/{email}',
    'get /v3/suppression/unsubscribes',
  ],
  'tsg_mc_lists_v3.json': [
    'get /v3/marketing/lists',
    'get /v3/marketing/lists/{id}',
    'delete /v3/marketing/lists/{id}/contacts',
  ],
  'tsg_mc_custom_fields_v3.json': ['get /v3/marketing/field_definitions'],
  'tsg_mc_contacts_v3.json': [
    'put /v3/marketing/contacts',
    'delete /v3/marketing/contacts',
    'get /v3/marketing/contacts/{id}',
    'post /v3/marketing/contacts/batch',
    'post /v3/marketing/contacts/search',
    'post /v3/marketing/contacts/search/emails',
    'post /v3/marketing/contacts/exports',
    'get /v3/marketing/contacts/exports/{id}',
    'get /v3/marketing/contacts/imports/{id}',
  ],
  'tsg_webhooks_v3.json': [
    'post /v3/user/webhooks/event/settings',
    'get /v3/user/webhooks/event/settings/all',
    'patch /v3/user/webhooks/event/settings/{id}',
    'delete /v3/user/webhooks/event/settings/{id}',
    'get /v3/user/webhooks/event/settings/signed/{id}',
    'patch /v3/user/webhooks/event/settings/signed/{id}',
  ],
};

const BREVO = {
  'swagger_definition_v3.yml': [
    'get /account',
    'get /contacts',
    'post /contacts',
    'get /contacts/{identifier}',
    'put /contacts/{identifier}',
    'delete /contacts/{identifier}',
    'post /contacts/batch',
    'get /contacts/attributes',
    'get /contacts/lists',
    'get /contacts/lists/{listId}',
    'get /contacts/lists/{listId}/contacts',
    'post /contacts/lists/{listId}/contacts/add',
    'post /contacts/lists/{listId}/contacts/remove',
    'get /contacts/segments',
    'post /contacts/export',
    'get /processes/{processId}',
    'get /webhooks',
    'post /webhooks',
    'put /webhooks/{webhookId}',
    'delete /webhooks/{webhookId}',
  ],
};

const FAILURES = [
  'custom_api_error',
  'expired_oauth_token_api_error',
  'invalid_oauth_token_api_error',
  'revoked_oauth_token_api_error',
];

/** Of the recorded answers: which operation gives which. Nothing is recorded of the requests. */
const CAMPAIGN_MONITOR: Record<string, string[]> = {
  'get /clients.json': ['clients'],
  'get /clients/{client}/lists.json': ['lists'],
  'get /clients/{client}/listsforemail.json': ['listsforemail'],
  'get /clients/{client}/segments.json': ['segments'],
  'get /clients/{client}/suppressionlist.json': ['suppressionlist'],
  'get /lists/{list}.json': ['list_details'],
  'get /lists/{list}/customfields.json': ['custom_fields'],
  'get /lists/{list}/active.json': ['active_subscribers'],
  'get /lists/{list}/unconfirmed.json': ['unconfirmed_subscribers'],
  'get /lists/{list}/unsubscribed.json': ['unsubscribed_subscribers'],
  'get /lists/{list}/bounced.json': ['bounced_subscribers'],
  'get /lists/{list}/deleted.json': ['deleted_subscribers'],
  'get /lists/{list}/webhooks.json': ['list_webhooks'],
  'post /lists/{list}/webhooks.json': ['create_list_webhook'],
  'get /subscribers/{list}.json': ['subscriber_details', 'subscriber_details_with_track_and_sms_pref'],
  'post /subscribers/{list}.json': ['add_subscriber'],
  'post /subscribers/{list}/import.json': ['import_subscribers'],
};

/** Keywords whose value says it all; everything else is prose, or an extension. */
const FACTS = [
  ...['type', 'format', 'enum', 'const', 'pattern', 'nullable', 'required', 'uniqueItems', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
];

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: Json | undefined): Fields => (isFields(value) ? value : {});
const mapValues = (fields: Json | undefined, work: (value: Json) => Json): Fields =>
  Object.fromEntries(Object.entries(fieldsOf(fields)).map(([name, value]) => [name, work(value)]));

function resolve(document: Fields, value: Json | undefined): Fields {
  const fields = fieldsOf(value);
  const { $ref: reference } = fields;
  if (typeof reference !== 'string') return fields;
  const steps = reference.slice(2).split('/');
  const found = steps.reduce<Json | undefined>((at, step) => fieldsOf(at)[step], document);
  if (found === undefined) throw new Error(`${reference} leads nowhere`);
  return resolve(document, found);
}

function factsOf(document: Fields, value: Json, depth = 0): Json {
  if (typeof value === 'boolean') return value;
  if (depth > 20) throw new Error('A schema that holds itself is not for this');
  const schema = resolve(document, value);
  const inside = (one: Json) => factsOf(document, one, depth + 1);
  const facts: Fields = {};
  for (const [keyword, what] of Object.entries(schema)) {
    if (FACTS.includes(keyword)) facts[keyword] = what;
    else if (keyword === 'properties') facts[keyword] = mapValues(what, inside);
    else if (keyword === 'items' || keyword === 'additionalProperties') facts[keyword] = inside(what);
    else if (['oneOf', 'anyOf', 'allOf'].includes(keyword) && Array.isArray(what)) {
      facts[keyword] = what.map(inside);
    }
  }
  return withoutAllOf(facts);
}

/** One object instead of several that all hold, so that it can be told what it has no place for. */
function withoutAllOf({ allOf, ...facts }: Fields): Fields {
  if (!Array.isArray(allOf)) return facts;
  const parts = [facts, ...allOf.map(fieldsOf)];
  const required = parts.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []));
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map((part) => fieldsOf(part['properties']))) as Fields,
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function contentOf(document: Fields, value: Json | undefined): Fields {
  const { schema } = fieldsOf(fieldsOf(value)['application/json']);
  return schema === undefined
    ? {}
    : { content: { 'application/json': { schema: factsOf(document, schema) } } };
}

function operationOf(document: Fields, path: string, method: string): Fields {
  const shared = resolve(document, fieldsOf(document['paths'])[path]);
  const operation = fieldsOf(shared[method]);
  if (Object.keys(operation).length === 0) throw new Error(`There is no ${method} ${path}`);
  const parameters = [shared['parameters'], operation['parameters']].flatMap((some) =>
    Array.isArray(some) ? some : [],
  );
  const { required, content } = resolve(document, operation['requestBody']);
  return {
    operationId: `${method} ${path}`,
    parameters: parameters.map((one) => {
      const { name = '', in: place = '', required: must = false, schema = {} } = resolve(document, one);
      return { name, in: place, required: must, schema: factsOf(document, schema) };
    }),
    ...(content !== undefined && {
      requestBody: { required: required ?? false, ...contentOf(document, content) },
    }),
    responses: mapValues(operation['responses'], (one) =>
      contentOf(document, resolve(document, one)['content']),
    ),
  };
}

const put = (paths: Fields, wanted: string, operation: Fields) => {
  const [method = '', path = ''] = wanted.split(' ');
  paths[path] = { ...fieldsOf(paths[path]), [method]: operation };
};

/** In Brevo's file brackets close further left than YAML allows. */
const mended = (yaml: string) => yaml.replaceAll(/^( *)([\]}],?) *$/gm, '$1    $2');

async function readDocument(file: string): Promise<Fields> {
  const folder = mkdtempSync(join(tmpdir(), 'description-'));
  try {
    const text = readFileSync(file, 'utf8');
    const definition = join(folder, basename(file));
    writeFileSync(definition, file.endsWith('.yml') ? mended(text) : text);
    const backend = new OpenAPIBackend({ definition, quick: true });
    await backend.loadDocument();
    return backend.document as unknown as Fields;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function distilOpenApi(folder: string, wanted: Record<string, string[]>): Promise<Fields> {
  const paths: Fields = {};
  for (const [file, operations] of Object.entries(wanted)) {
    const document = await readDocument(join(folder, file));
    for (const one of operations) {
      const [method = '', path = ''] = one.split(' ');
      put(paths, one, operationOf(document, path, method));
    }
  }
  return paths;
}

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

/** What is true of all the samples: names, types, what may be null; never a value. */
function shapeOf(samples: Json[]): Fields {
  const types = [...new Set(samples.map(typeOf))];
  const objects = samples.filter(isFields);
  const items = samples.flatMap((sample) => (Array.isArray(sample) ? sample : []));
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const valuesOf = (name: string) => objects.flatMap((one) => (one[name] === undefined ? [] : [one[name]]));
  return {
    type: types.length === 1 ? (types[0] ?? '') : types,
    ...(objects.length > 0 && {
      properties: Object.fromEntries(names.map((name) => [name, shapeOf(valuesOf(name))])),
      required: names.filter((name) => objects.every((one) => name in one)),
    }),
    ...(items.length > 0 && { items: shapeOf(items) }),
  };
}

function distilRecordings(folder: string): Fields {
  const shape = (names: string[]) => {
    const samples = names.map(
      (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Json,
    );
    return { content: { 'application/json': { schema: shapeOf(samples) } } };
  };
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

function write(name: string, paths: Fields): void {
  const document = { openapi: '3.1.0', info: { title: name, version: '1' }, paths } satisfies Fields;
  const isDocument: Pick<Document, 'openapi'> = document;
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(isDocument)}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say the folder of the original descriptions');
write('sendgrid', await distilOpenApi(join(folder, 'sendgrid'), SENDGRID));
write('brevo', await distilOpenApi(join(folder, 'brevo'), BREVO));
write('campaign-monitor', distilRecordings(join(folder, 'campaign-monitor/fixtures')));

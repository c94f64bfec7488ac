import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { distilFixtures, distilRecordings } from './distil-answers.ts';
import { type Fields, fieldsOf, type Json, put } from './distil-json.ts';
import type { Source } from './sources.ts';

/*
 * Makes the descriptions beside this file from the tools' own, of which they keep the facts of the operations that
 * connectors call: parameters and schemas, no prose. Those in `answers` come from recorded answers. To renew them:
 *   node test/fakes/descriptions/distil.ts <folder>
 * The folder holds sendgrid/*.json, brevo/*.yml, campaign-monitor/fixtures and integration-templates.
 */

const SENDGRID = {
  'tsg_scopes_v3.json': ['get /v3/scopes'],
  'tsg_user_v3.json': ['get /v3/user/profile', 'get /v3/user/username'],
  'tsg_suppressions_v3.json': [
    'get /v3/asm/groups',
    'post /v3/asm/groups/{group_id}/suppressions',
    'delete /v3/asm/groups/{group_id}/suppressions/{email}',
    'post /v3/asm/groups/{group_id}/suppressions/search',
    'get /v3/asm/suppressions/{email}',
    'post /v3/asm/suppressions/global',
    'get /v3/asm/suppressions/global/{email}',
    'delete /v3/asm/suppressions/global/{email}',
    'get /v3/suppression/bounces/{email}',
    'get /v3/suppression/spam_reports/{email}',
  ],
  'tsg_mc_lists_v3.json': ['get /v3/marketing/lists', 'delete /v3/marketing/lists/{id}/contacts'],
  'tsg_mc_custom_fields_v3.json': ['get /v3/marketing/field_definitions'],
  'tsg_mc_contacts_v3.json': [
    'put /v3/marketing/contacts',
    'delete /v3/marketing/contacts',
    'post /v3/marketing/contacts/search/emails',
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
    'get /contacts/attributes',
    'get /contacts/lists',
    'get /contacts/lists/{listId}/contacts',
    'post /contacts/lists/{listId}/contacts/add',
    'post /contacts/lists/{listId}/contacts/remove',
    'get /webhooks',
    'post /webhooks',
    'put /webhooks/{webhookId}',
    'delete /webhooks/{webhookId}',
  ],
};

/** Keywords whose value says it all; everything else is prose, or an extension. */
const FACTS = [
  ...['type', 'format', 'enum', 'const', 'pattern', 'nullable', 'required', 'uniqueItems', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
];

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

function write(name: string, source: Source, paths: Fields): void {
  const info = { title: name, version: '1', 'x-source': { ...source } };
  const document = { openapi: '3.1.0', info, paths } satisfies Fields;
  const isDocument: Pick<Document, 'openapi'> = document;
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(isDocument)}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say the folder of the original descriptions');
const from = (...names: string[]) => join(folder, ...names);
const described = (date: string, where: string): Source => ({ kind: 'described', date, where });
const recorded = (date: string, where: string): Source => ({ kind: 'recorded', date, where });

write(
  'sendgrid',
  described('2026-01-22', 'twilio/sendgrid-oai dbe0e0d2'),
  await distilOpenApi(from('sendgrid'), SENDGRID),
);
write(
  'brevo',
  described('2024-11-25', 'getbrevo/brevo-php c7959294'),
  await distilOpenApi(from('brevo'), BREVO),
);
write(
  'answers/campaign-monitor',
  recorded('2025-06-17', 'campaignmonitor/createsend-ruby a2f2ddbb'),
  distilFixtures(from('campaign-monitor/fixtures')),
);
for (const [tool, paths] of Object.entries(distilRecordings(from('integration-templates/integrations')))) {
  write(`answers/${tool}`, recorded('2026-08-07', 'NangoHQ/integration-templates 3196dff2'), paths);
}

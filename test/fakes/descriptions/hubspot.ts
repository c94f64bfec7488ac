import { z } from 'zod';
import { commaList, describeTool, digits, flag, type Operation } from './written.ts';

/* HubSpot's dated API, as far as the connector calls it. */

const moment = z.iso.datetime();
const text = z.string().nullable();
const links = z.record(z.string(), z.string()).optional();

const problem = z.strictObject({
  message: z.string(),
  code: z.string().optional(),
  in: z.string().optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  subCategory: z.string().optional(),
});

/** Of each field HubSpot says that it may be absent. */
const failure = z
  .strictObject({
    status: z.string(),
    message: z.string(),
    correlationId: z.uuid(),
    category: z.string(),
    subCategory: z.string(),
    errors: z.array(problem),
    context: z.record(z.string(), z.unknown()),
    links,
    errorType: z.string(),
    policyName: z.string(),
    requestId: z.string(),
  })
  .partial();

const envelopeOf = (row: z.ZodType) =>
  z.strictObject({
    status: z.enum(['COMPLETE', 'PENDING', 'PROCESSING', 'CANCELED']),
    startedAt: moment,
    completedAt: moment,
    requestedAt: moment.optional(),
    results: z.array(row),
    errors: z.array(failure).optional(),
    numErrors: z.int().optional(),
    links,
  });
const envelope = (row: z.ZodType) => ({ 200: envelopeOf(row) });
/** 207 where some of the inputs came to nothing. */
const envelopeOfMany = (row: z.ZodType) => ({ 200: envelopeOf(row), 207: envelopeOf(row) });

const status = z.enum(['SUBSCRIBED', 'UNSUBSCRIBED', 'NOT_SPECIFIED']);
const legalBasis = z.enum([
  'CONSENT_WITH_NOTICE',
  'LEGITIMATE_INTEREST_CLIENT',
  'LEGITIMATE_INTEREST_OTHER',
  'LEGITIMATE_INTEREST_PQL',
  'NON_GDPR',
  'PERFORMANCE_OF_CONTRACT',
  'PROCESS_AND_STORE',
]);

const definition = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  purpose: z.string(),
  communicationMethod: z.string(),
  isActive: z.boolean(),
  isDefault: z.boolean(),
  isInternal: z.boolean(),
  businessUnitId: z.int(),
  createdAt: moment,
  updatedAt: moment,
});

const typeStatus = z.strictObject({
  businessUnitId: z.int(),
  channel: z.literal('EMAIL'),
  subscriberIdString: z.string(),
  subscriptionId: z.int(),
  subscriptionName: z.string(),
  status,
  source: z.string(),
  legalBasis: legalBasis.nullable(),
  legalBasisExplanation: text,
  setStatusSuccessReason: z
    .enum([
      'REQUESTED_CHANGE_OCCURRED',
      'RESUBSCRIBE_OCCURRED',
      'NO_STATUS_CHANGE',
      'UNSUBSCRIBE_FROM_ALL_OCCURRED',
    ])
    .nullable(),
  timestamp: moment,
});

const ofWide = { subscriberIdString: z.string(), status, channel: z.literal('EMAIL'), timestamp: moment };
const wideStatus = z.discriminatedUnion('wideStatusType', [
  z.strictObject({ wideStatusType: z.literal('PORTAL_WIDE'), ...ofWide, businessUnitId: z.int().optional() }),
  z.strictObject({ wideStatusType: z.literal('BUSINESS_UNIT_WIDE'), ...ofWide, businessUnitId: z.int() }),
]);

const contact = z.strictObject({
  id: z.string(),
  properties: z.record(z.string(), text),
  createdAt: moment,
  updatedAt: moment,
  archived: z.boolean(),
  archivedAt: moment.optional(),
  url: z.url().optional(),
  objectWriteTraceId: z.string().optional(),
});

const next = z.strictObject({
  next: z.strictObject({ after: z.string(), link: z.string().nullable() }),
});

const listRow = z.strictObject({
  listId: z.string(),
  name: z.string(),
  objectTypeId: z.string(),
  processingType: z.enum(['MANUAL', 'SNAPSHOT', 'DYNAMIC']),
  processingStatus: z.string(),
  listVersion: z.int(),
  createdAt: moment,
  updatedAt: moment,
  additionalProperties: z.record(z.string(), z.string()),
});

/** Not all that a property has. */
const property = z.looseObject({
  name: z.string(),
  label: z.string(),
  type: z.enum(['string', 'number', 'bool', 'date', 'datetime', 'enumeration', 'phone_number']),
  fieldType: z.string(),
  groupName: z.string(),
  description: z.string(),
  options: z.array(
    z.strictObject({ label: z.string(), value: z.string(), hidden: z.boolean(), displayOrder: z.int() }),
  ),
  hidden: z.boolean(),
  calculated: z.boolean(),
  hubspotDefined: z.boolean(),
  hasUniqueValue: z.boolean(),
  dataSensitivity: z.string(),
  modificationMetadata: z.strictObject({
    archivable: z.boolean(),
    readOnlyDefinition: z.boolean(),
    readOnlyValue: z.boolean(),
  }),
});

const email = { channel: z.literal('EMAIL') };
const atMost100 = <T extends z.ZodType>(of: T) => z.array(of).min(1).max(100);
const addresses = z.strictObject({ inputs: atMost100(z.string().regex(/^\S+@\S+$/)) });
const setStatus = {
  ...email,
  statusState: status,
  subscriptionId: z.int(),
  legalBasis: legalBasis.optional(),
  legalBasisExplanation: z.string().optional(),
};
const brand = { businessUnitId: digits().optional() };
const ids = { id: digits() };
const recordIds = z.array(z.string().regex(/^\d+$/)).min(1);
const membershipChange: Operation = {
  path: ids,
  json: recordIds,
  answers: {
    200: z.strictObject({
      recordsIdsAdded: z.array(z.string()),
      recordIdsRemoved: z.array(z.string()),
      recordIdsMissing: z.array(z.string()),
    }),
  },
};

export const HUBSPOT = describeTool({
  source: {
    kind: 'described',
    date: '2026-08-21',
    where: 'HubSpot/HubSpot-public-api-spec-collection 9989379',
  },
  // Those without a date end by September 2027.
  path: { version: z.enum(['2026-03', '2026-09']) },
  operations: {
    'get /account-info/{version}/details': {
      answers: {
        200: z.strictObject({
          portalId: z.int(),
          accountType: z.enum(['APP_DEVELOPER', 'DEVELOPER_TEST', 'SANDBOX', 'STANDARD']),
          timeZone: z.string(),
          companyCurrency: z.string(),
          additionalCurrencies: z.array(z.string()),
          utcOffset: z.string(),
          utcOffsetMilliseconds: z.int(),
          uiDomain: z.string(),
          dataHostingLocation: z.string(),
        }),
      },
    },
    'get /communication-preferences/{version}/definitions': {
      query: { ...brand, includeTranslations: flag.optional() },
      answers: envelope(definition),
    },
    'get /communication-preferences/{version}/statuses/{email}': {
      query: { ...email, ...brand },
      answers: envelope(typeStatus),
    },
    'post /communication-preferences/{version}/statuses/{email}': {
      json: z.strictObject(setStatus),
      answers: envelope(typeStatus),
    },
    'get /communication-preferences/{version}/statuses/{email}/unsubscribe-all': {
      query: { ...email, ...brand },
      answers: envelope(wideStatus),
    },
    'post /communication-preferences/{version}/statuses/{email}/unsubscribe-all': {
      query: { ...email, ...brand, verbose: flag.optional() },
      answers: envelope(typeStatus),
    },
    // Those for many are offered only with Marketing Hub Enterprise.
    'post /communication-preferences/{version}/statuses/batch/read': {
      query: { ...email, ...brand },
      json: addresses,
      answers: envelopeOfMany(
        z.strictObject({ subscriberIdString: z.string(), statuses: z.array(typeStatus) }),
      ),
    },
    'post /communication-preferences/{version}/statuses/batch/write': {
      json: z.strictObject({
        inputs: atMost100(z.strictObject({ subscriberIdString: z.string(), ...setStatus })),
      }),
      answers: envelopeOfMany(typeStatus),
    },
    'post /communication-preferences/{version}/statuses/batch/unsubscribe-all': {
      query: { ...email, verbose: flag.optional() },
      json: addresses,
      answers: envelopeOfMany(
        z.strictObject({ subscriberIdString: z.string(), statuses: z.array(typeStatus).optional() }),
      ),
    },
    'post /communication-preferences/{version}/statuses/batch/unsubscribe-all/read': {
      query: { ...email, ...brand },
      json: addresses,
      answers: envelopeOfMany(
        z.strictObject({ subscriberIdString: z.string(), wideStatuses: z.array(wideStatus) }),
      ),
    },
    'get /crm/objects/{version}/contacts/{id}': {
      query: {
        idProperty: z.string().optional(),
        properties: commaList().optional(),
        propertiesWithHistory: commaList().optional(),
        associations: commaList().optional(),
        archived: flag.optional(),
      },
      answers: { 200: contact },
    },
    'post /crm/objects/{version}/contacts': {
      json: z.strictObject({
        properties: z.record(z.string(), z.string()),
        associations: z.array(z.unknown()).optional(),
      }),
      answers: { 201: contact },
    },
    'patch /crm/objects/{version}/contacts/{id}': {
      query: { idProperty: z.string().optional() },
      json: z.strictObject({ properties: z.record(z.string(), z.string()) }),
      answers: { 200: contact },
    },
    'post /crm/objects/{version}/contacts/batch/read': {
      json: z.strictObject({
        idProperty: z.string().optional(),
        properties: z.array(z.string()),
        propertiesWithHistory: z.array(z.string()),
        inputs: z.array(z.strictObject({ id: z.string() })).max(100),
      }),
      answers: envelopeOfMany(contact),
    },
    'post /crm/objects/{version}/contacts/batch/create': {
      json: z.strictObject({
        inputs: atMost100(
          z.strictObject({
            properties: z.record(z.string(), z.string()),
            associations: z.array(z.unknown()).optional(),
          }),
        ),
      }),
      answers: { 201: envelopeOf(contact), 207: envelopeOf(contact) },
    },
    'post /crm/objects/{version}/contacts/search': {
      json: z.strictObject({
        query: z.string().optional(),
        filterGroups: z
          .array(
            z.strictObject({
              filters: z.array(
                z.strictObject({
                  propertyName: z.string(),
                  operator: z.enum(['BETWEEN', 'EQ', 'GT', 'GTE', 'HAS_PROPERTY', 'IN', 'LT', 'LTE', 'NEQ']),
                  value: z.string().optional(),
                }),
              ),
            }),
          )
          .max(6),
        sorts: z.array(
          z.strictObject({ propertyName: z.string(), direction: z.enum(['ASCENDING', 'DESCENDING']) }),
        ),
        properties: z.array(z.string()),
        limit: z.int().min(0).max(200),
        after: z.string().optional(),
      }),
      answers: {
        200: z.strictObject({ total: z.int(), results: z.array(contact), paging: next.optional() }),
      },
    },
    'get /crm/properties/{version}/contacts': {
      query: { archived: flag.optional(), dataSensitivity: z.string().optional() },
      answers: { 200: z.strictObject({ results: z.array(property) }) },
    },
    'post /crm/lists/{version}/search': {
      json: z.strictObject({
        query: z.string().optional(),
        processingTypes: z.array(z.enum(['MANUAL', 'SNAPSHOT', 'DYNAMIC'])).optional(),
        listIds: z.array(z.string()).optional(),
        additionalProperties: z.array(z.string()).optional(),
        objectTypeId: z.string().optional(),
        offset: z.int().min(0).optional(),
        count: z.int().min(1).max(500).optional(),
      }),
      answers: {
        200: z.strictObject({
          lists: z.array(listRow),
          hasMore: z.boolean(),
          offset: z.int(),
          total: z.int(),
        }),
      },
    },
    'put /crm/lists/{version}/{id}/memberships/add': membershipChange,
    'put /crm/lists/{version}/{id}/memberships/remove': membershipChange,
    'get /crm/lists/{version}/{id}/memberships': {
      path: ids,
      query: {
        limit: digits(1, 250).optional(),
        after: z.string().optional(),
        before: z.string().optional(),
      },
      answers: {
        200: z.strictObject({
          results: z.array(z.strictObject({ recordId: z.string(), membershipTimestamp: moment })),
          paging: next.optional(),
          total: z.int(),
        }),
      },
    },
    'get /crm/lists/{version}/records/0-1/{id}/memberships': {
      path: ids,
      answers: {
        200: z.strictObject({
          results: z.array(
            z.strictObject({
              listId: z.string(),
              listVersion: z.int(),
              firstAddedTimestamp: moment,
              lastAddedTimestamp: moment,
              isPublicList: z.boolean().optional(),
            }),
          ),
          total: z.int(),
        }),
      },
    },
  },
  failure,
});

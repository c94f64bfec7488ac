import { z } from 'zod';
import { ConnectorError, type ToolAnswer } from '../connector.ts';
import { readerOf } from '#server/connectors/reader.ts';

export const { answer: read, each } = readerOf('HubSpot');

/** Of every path: those without a date end by September 2027. */
export const VERSION = '2026-09';

export const CONTACTS = `/crm/objects/${VERSION}/contacts`;
export const LISTS = `/crm/lists/${VERSION}`;

/** Ids are numbers in some answers and texts in others. */
export const anId = z.union([z.string(), z.number()]).transform(String);

const failure = z.object({ policyName: z.string().optional(), category: z.string().optional() });

/** Section 6: no answer says when the limit ends, but which limit it is. The day ends at the account's midnight. */
const SECONDS_OF_LIMIT: Partial<Record<string, number>> = {
  SECONDLY: 1,
  TEN_SECONDLY_ROLLING: 10,
  DAILY: 3600,
};

const LOCKED_SECONDS = 2;
const MOVING_SECONDS = 60;

export function failureOf(answer: ToolAnswer, retryAfter: number | null): ConnectorError | null {
  const { status, body } = answer;
  const { policyName = '', category } = failure.safeParse(body).data ?? {};
  if (status === 403 && category === 'MISSING_SCOPES') {
    return new ConnectorError('bad_credentials', 'The HubSpot key is missing a scope (403).');
  }
  if (status === 423) {
    return new ConnectorError('unavailable', 'HubSpot has locked the record (423).', LOCKED_SECONDS);
  }
  if (status === 477) {
    const seconds = retryAfter ?? MOVING_SECONDS;
    return new ConnectorError('unavailable', 'HubSpot is moving the account (477).', seconds);
  }
  if (status === 429) {
    const seconds = retryAfter ?? SECONDS_OF_LIMIT[policyName] ?? null;
    return new ConnectorError('rate_limited', 'HubSpot allows no more calls right now (429).', seconds);
  }
  return null;
}

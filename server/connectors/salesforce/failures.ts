import { z } from 'zod';
import { ConnectorError, type ToolAnswer } from '#server/connectors/connector.ts';
import { toldReason } from '#server/connectors/told-reason.ts';

const troubles = z.array(z.object({ errorCode: z.string(), message: z.string() })).min(1);

/** What an answer, or a row of one, has for an error. */
export interface Trouble {
  code: string;
  message: string;
}

export function troubleOf({ body }: ToolAnswer): Trouble | null {
  const parsed = troubles.safeParse(body);
  const first = parsed.success ? parsed.data[0] : undefined;
  return first === undefined ? null : { code: first.errorCode, message: first.message };
}

// A lead that is converted meanwhile is found as a contact the next time.
const LATER = new Set([
  'UNABLE_TO_LOCK_ROW',
  'CANNOT_UPDATE_CONVERTED_LEAD',
  'QUERY_TIMEOUT',
  'SERVER_UNAVAILABLE',
  'UNKNOWN_EXCEPTION',
]);

/** The usual sense, but for what Salesforce says in its own words. */
export function failureOf(answer: ToolAnswer): ConnectorError | null {
  const trouble = troubleOf(answer);
  if (trouble === null || answer.status >= 500) return null;
  const isUsual = [401, 404, 429].includes(answer.status);
  if (isUsual) return null;
  // The usual 403 would have somebody reconnect, which does not bring back the calls of the day.
  if (trouble.code === 'REQUEST_LIMIT_EXCEEDED') {
    return new ConnectorError(
      'rate_limited',
      "Your organization has reached Salesforce's limit of API calls in 24 hours or at the same time.",
    );
  }
  if (answer.status === 403 && !/^(INSUFFICIENT_ACCESS|API_)/.test(trouble.code)) return null;
  return errorOf(trouble);
}

export function errorOf({ code, message }: Trouble): ConnectorError {
  if (LATER.has(code)) {
    return new ConnectorError('unavailable', `Salesforce couldn't do this right now (${code}).`);
  }
  return new ConnectorError('refused', sentenceFor(code, message));
}

function sentenceFor(code: string, message: string): string {
  if (code.startsWith('INVALID_FIELD') && message.includes('HasOptedOutOfEmail')) {
    return hiddenField(/entity '(\w+)'/.exec(message)?.[1] ?? 'contacts or leads');
  }
  if (code === 'INVALID_TYPE') return "The app's user in Salesforce can't see the data this needs.";
  if (code.startsWith('API_')) return `The API is turned off for this organization in Salesforce (${code}).`;
  if (code.startsWith('INSUFFICIENT_ACCESS')) {
    return `The app's user in Salesforce lacks a permission for this (${code}). An administrator can grant it.`;
  }
  const plainCode = code.replaceAll(/[^\w]/g, '').slice(0, 60);
  // The words of the organization's own rule are what its administrator needs (A6, 5).
  if (code !== 'FIELD_CUSTOM_VALIDATION_EXCEPTION') return `Salesforce rejected the change (${plainCode}).`;
  return `One of your organization's rules in Salesforce rejected the change: ${toldReason(message)}`;
}

export function hiddenField(object: string): string {
  return `The app's user in Salesforce can't read or edit the field Email Opt Out (${object}). An administrator can grant access to it.`;
}

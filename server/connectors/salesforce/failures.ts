import { z } from 'zod';
import { ConnectorError, type ToolAnswer } from '#server/connectors/connector.ts';

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
  // The usual 403 would have somebody connect anew, which does not bring back the calls of the day.
  if (trouble.code === 'REQUEST_LIMIT_EXCEEDED') {
    return new ConnectorError(
      'rate_limited',
      'Salesforce has used up the calls that your organization may make in 24 hours, or at a time.',
    );
  }
  if (answer.status === 403 && !/^(INSUFFICIENT_ACCESS|API_)/.test(trouble.code)) return null;
  return errorOf(trouble);
}

export function errorOf({ code, message }: Trouble): ConnectorError {
  if (LATER.has(code)) {
    return new ConnectorError('unavailable', `Salesforce could not do it at this moment (${code}).`);
  }
  return new ConnectorError('refused', sentenceFor(code, message));
}

function sentenceFor(code: string, message: string): string {
  if (code.startsWith('INVALID_FIELD') && message.includes('HasOptedOutOfEmail')) {
    return hiddenField(/entity '(\w+)'/.exec(message)?.[1] ?? 'contacts or leads');
  }
  if (code === 'INVALID_TYPE') return 'Salesforce does not let the user of the app see what this needs.';
  if (code.startsWith('API_')) return `Salesforce has the API switched off for this organization (${code}).`;
  if (code.startsWith('INSUFFICIENT_ACCESS')) {
    return `Salesforce does not let the user of the app do this (${code}); an administrator can give the permission.`;
  }
  const plainCode = code.replaceAll(/[^\w]/g, '').slice(0, 60);
  // The words of the organization's own rule are what its administrator needs (A6, 5).
  if (code !== 'FIELD_CUSTOM_VALIDATION_EXCEPTION') return `Salesforce refused the change (${plainCode}).`;
  return `Salesforce refused the change by a rule of your organization: ${withoutAddresses(message)}`;
}

function withoutAddresses(text: string): string {
  return text.replaceAll(/\S+@\S+/g, '…').slice(0, 200);
}

export function hiddenField(object: string): string {
  return `Salesforce hides the field Email Opt Out (${object}) from the user of the app, or keeps it from writing to it; an administrator has to allow read and edit access to the field.`;
}

import type { Failure } from './service.ts';
import type { TextKey } from './texts.ts';

/** What to say of a failed call, whatever it was for: there are no switches that "are still here". */
export const FAILURE_KEYS = {
  offline: 'modal_mail.error_offline',
  busy: 'rate_limited.text',
} as const satisfies Partial<Record<Failure, TextKey>>;

/** What to say when a request about somebody's data failed. */
export const DATA_FAILURE_KEYS: Record<Failure, TextKey> = {
  ...FAILURE_KEYS,
  expired: 'data.expired',
  changed: 'unavailable.text',
  server: 'unavailable.text',
  link_expired: 'aged.text',
};

const LINK_KEYS: Partial<Record<Failure, TextKey>> = { ...FAILURE_KEYS, server: 'unavailable.text' };

/** What to say when a link's change or a pause failed. */
export const failureKeyOf = (failure: Failure): TextKey => LINK_KEYS[failure] ?? `save_error.${failure}`;

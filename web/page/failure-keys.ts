import type { Failure } from './service.ts';
import type { TextKey } from './texts.ts';

const KEYS: Partial<Record<Failure, TextKey>> = {
  offline: 'modal_mail.error_offline',
  busy: 'rate_limited.text',
  server: 'unavailable.text',
};

/** What to say when a link's change or a pause failed: there are no switches that "are still here". */
export const failureKeyOf = (failure: Failure): TextKey => KEYS[failure] ?? `save_error.${failure}`;

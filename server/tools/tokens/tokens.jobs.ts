import { intervalTask } from '#server/platform/interval-worker.ts';
import { renewDue } from './tokens.ts';

/** Keeps the tokens of tools that were connected by OAuth good, in this process. */
export const TOKEN_RENEWALS = intervalTask({ name: 'token-renewals', everyMs: 15_000, run: renewDue });

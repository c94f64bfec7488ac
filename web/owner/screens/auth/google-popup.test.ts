import { expect, it } from 'vitest';
import { requestGoogleCode } from './google-popup.ts';

it.each([null, undefined, ''])(
  'Google sign-in without a client id (%j) says so (spec 112)',
  async (clientId) => {
    await expect(requestGoogleCode(clientId)).rejects.toThrow('clientId is required');
  },
);

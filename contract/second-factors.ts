import { z } from 'zod';
import { tokens } from './accounts.ts';
import { id, line, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';

/** What an account can prove a second time with, beside its password or Google. */
export const SECOND_FACTOR_WAYS = ['passkey', 'totp', 'recovery_code'] as const;
export type SecondFactorWay = (typeof SECOND_FACTOR_WAYS)[number];

/** How long a log-in waits for its second factor. */
export const SECOND_FACTOR_MINUTES = 10;

/** For how long a password or a second factor counts as recent. */
export const RECENT_MINUTES = 10;

export const MAX_PASSKEYS = 10;
export const RECOVERY_CODES = 10;

/** Where the owner app asks for the second factor, and where for setting one up. */
export const SECOND_STEP_PATH = '/login/second-factor';
export const SET_UP_PATH = '/set-up-second-factor';

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, { error: 'must be base64url' });

const transport = z.string().max(32);

const credentialBase = {
  id: base64url(1400),
  rawId: base64url(1400),
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}),
};

/** The browser's `RegistrationResponseJSON`; what is not listed is ignored. */
const attestation = z
  .object({
    ...credentialBase,
    response: z.object({
      clientDataJSON: base64url(8000),
      attestationObject: base64url(16_000),
      transports: z.array(transport).max(10).optional(),
    }),
  })
  .meta({ id: 'PasskeyAttestation' });

/** The browser's `AuthenticationResponseJSON`. */
const assertion = z
  .object({
    ...credentialBase,
    response: z.object({
      clientDataJSON: base64url(8000),
      authenticatorData: base64url(8000),
      signature: base64url(8000),
    }),
  })
  .meta({ id: 'PasskeyAssertion' });

export type PasskeyAttestation = z.infer<typeof attestation>;
export type PasskeyAssertion = z.infer<typeof assertion>;

const descriptors = z.array(
  z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()).optional() }),
);

/** Options for `navigator.credentials.get()`, as JSON. */
const requestOptions = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    allowCredentials: descriptors,
    userVerification: z.literal('preferred'),
    timeout: z.number().int(),
  })
  .meta({ id: 'PasskeyRequestOptions' });

/** Options for `navigator.credentials.create()`, as JSON. */
const creationOptions = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
    excludeCredentials: descriptors,
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('preferred'),
    }),
    attestation: z.literal('none'),
    timeout: z.number().int(),
  })
  .meta({ id: 'PasskeyCreationOptions' });

export type PasskeyRequestOptions = z.infer<typeof requestOptions>;
export type PasskeyCreationOptions = z.infer<typeof creationOptions>;

/** `data` of 403 `second_factor_required`. */
export const secondStep = z
  .object({
    ticket: z.string().describe('Opaque, good once; carry it back with the second factor.'),
    ways: z.array(z.enum(SECOND_FACTOR_WAYS)).describe('What this account can prove with.'),
    expires_at: timestamp,
    passkey: requestOptions.nullable().describe('null: no passkey is among the ways.'),
  })
  .meta({ id: 'SecondStep' });

export type SecondStep = z.infer<typeof secondStep>;

// Authenticator apps show the six digits in two groups.
const totpCode = z
  .string()
  .transform((value) => value.replace(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, { error: 'must be the 6 digits of the authenticator app' }));
const recoveryCode = z.string().min(1).max(40);
const ticket = z.string().min(1).max(4000);

export const finishLogIn = defineRoute({
  method: 'POST',
  path: '/core/v1/users/token/second-factor',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Finish a log-in with the second factor',
  description: `Logging in to an account that has a second factor, by password or with Google, answers 403 \`second_factor_required\` with a \`SecondStep\` in \`data\`, and opens no session; this call does. The ticket is good once, for ${SECOND_FACTOR_MINUTES} minutes, and until the account gets another password, Google account or email. A wrong factor answers 401 \`second_factor_wrong\` and leaves the ticket as it is. A code of an authenticator app works once, up to 30 seconds before and after its time. Wrong ones are limited per account and address.`,
  body: z.discriminatedUnion('way', [
    z.strictObject({ ticket, way: z.literal('totp'), code: totpCode }),
    z.strictObject({ ticket, way: z.literal('passkey'), assertion }),
    z.strictObject({ ticket, way: z.literal('recovery_code'), code: recoveryCode }),
  ]),
  status: 200,
  response: tokens,
  errors: ['second_factor_wrong', 'link_used', 'other_google_account', 'rate_limited'],
});

const passkey = z
  .object({
    id,
    name: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
    is_synced: z.boolean().describe('Its owner’s other devices have it, too.'),
    is_blocked: z
      .boolean()
      .describe('Its counter went backwards, as that of a copy would; it is accepted no longer.'),
  })
  .meta({ id: 'Passkey' });

export type Passkey = z.infer<typeof passkey>;

export const secondFactors = z
  .object({
    passkeys: z.array(passkey).describe('The oldest first.'),
    totp: z
      .object({ created_at: timestamp, last_used_at: timestamp.nullable() })
      .nullable()
      .describe('The authenticator app; null: none.'),
    recovery_codes: z
      .object({ left: z.number().int(), created_at: timestamp })
      .nullable()
      .describe('null: there is no second factor, so none are needed.'),
    is_required: z.boolean().describe('An organization of the account requires a second factor.'),
  })
  .meta({ id: 'SecondFactors' });

export type SecondFactors = z.infer<typeof secondFactors>;

const changed = z.object({
  second_factors: secondFactors,
  recovery_codes: z
    .array(z.string())
    .nullable()
    .describe('Shown here and never again; null unless this was the first second factor.'),
});

export type AddedFactor = z.infer<typeof changed>;

const params = z.object({ id });
const FACTORS_PATH = '/core/v1/users/{id}/second-factors';
const setup = z.string().min(1).max(4000).describe('As the start of it answered.');

const shared = { access: 'user', tag: 'Accounts', duringSetUp: true } as const;

export const listSecondFactors = defineRoute({
  ...shared,
  method: 'GET',
  path: FACTORS_PATH,
  summary: 'The second factors of your account',
  params,
  status: 200,
  response: secondFactors,
});

export const startTotp = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/totp/start`,
  summary: 'Begin to set up an authenticator app',
  description:
    'Answers a new secret, which counts once `addTotp` proves that the app has it. Adding and removing a second factor takes a log-in or a `reauthenticate` of the last ten minutes (403 `reauthentication_required`).',
  params,
  status: 200,
  response: z.object({
    secret: z.string().describe('Base32.'),
    uri: z.string().describe('`otpauth://`, for a QR code.'),
    setup,
  }),
  errors: ['reauthentication_required', 'conflict'],
});

export const addTotp = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/totp`,
  summary: 'Add the authenticator app, by a code that it shows',
  params,
  body: z.strictObject({ setup, code: totpCode }),
  status: 201,
  response: changed,
  errors: ['reauthentication_required', 'conflict', 'link_used', 'rate_limited'],
});

export const removeTotp = defineRoute({
  ...shared,
  method: 'DELETE',
  path: `${FACTORS_PATH}/totp`,
  summary: 'Remove the authenticator app',
  description:
    'The last second factor cannot be removed while an organization requires one (409 `last_second_factor`).',
  params,
  status: 200,
  response: secondFactors,
  errors: ['reauthentication_required', 'last_second_factor'],
});

export const startPasskey = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/passkeys/start`,
  summary: 'Begin to add a passkey',
  params,
  status: 200,
  response: z.object({ options: creationOptions, setup }),
  errors: ['reauthentication_required', 'limit_reached'],
});

export const addPasskey = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/passkeys`,
  summary: 'Add a passkey that the browser has made',
  params,
  body: z.strictObject({ setup, name: line(60), attestation }),
  status: 201,
  response: changed,
  errors: ['reauthentication_required', 'limit_reached', 'conflict', 'link_used'],
});

const passkeyParams = params.extend({ passkey_id: id });

export const renamePasskey = defineRoute({
  ...shared,
  method: 'PATCH',
  path: `${FACTORS_PATH}/passkeys/{passkey_id}`,
  summary: 'Rename a passkey',
  params: passkeyParams,
  body: z.strictObject({ name: line(60) }),
  status: 200,
  response: secondFactors,
});

export const removePasskey = defineRoute({
  ...shared,
  method: 'DELETE',
  path: `${FACTORS_PATH}/passkeys/{passkey_id}`,
  summary: 'Remove a passkey',
  description: 'As with `removeTotp`.',
  params: passkeyParams,
  status: 200,
  response: secondFactors,
  errors: ['reauthentication_required', 'last_second_factor'],
});

export const createRecoveryCodes = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/recovery-codes`,
  summary: 'Create new recovery codes; those before stop working',
  params,
  status: 201,
  response: z.object({ second_factors: secondFactors, recovery_codes: z.array(z.string()) }),
  errors: ['reauthentication_required', 'conflict'],
});

export const startReauthentication = defineRoute({
  ...shared,
  method: 'POST',
  path: '/core/v1/users/{id}/reauthentication/start',
  summary: 'With what you can show that you are still there',
  params,
  status: 200,
  response: z.object({
    is_recent: z.boolean().describe('It counts as recent already; nothing has to be shown.'),
    ways: z.array(z.enum(['password', ...SECOND_FACTOR_WAYS])),
    ticket: z.string(),
    passkey: requestOptions.nullable(),
  }),
});

export const reauthenticate = defineRoute({
  ...shared,
  method: 'POST',
  path: '/core/v1/users/{id}/reauthentication',
  summary: 'Show that you are still there, by password or second factor',
  description: `Counts for this session, for ${RECENT_MINUTES} minutes.`,
  params,
  body: z.discriminatedUnion('way', [
    z.strictObject({ way: z.literal('password'), password: z.string().min(1).max(200) }),
    z.strictObject({ ticket, way: z.literal('totp'), code: totpCode }),
    z.strictObject({ ticket, way: z.literal('passkey'), assertion }),
    z.strictObject({ ticket, way: z.literal('recovery_code'), code: recoveryCode }),
  ]),
  status: 200,
  response: z.object({ recent_until: timestamp }),
  errors: ['link_used', 'rate_limited'],
});

export const requireSecondFactor = defineRoute({
  method: 'PUT',
  path: '/core/v1/organizations/{id}/second-factor',
  access: 'organization',
  needs: 'owner',
  tag: 'Organizations',
  summary: 'Require a second factor of every member, or stop requiring it',
  description:
    'The owner who requires it needs one first (403 `second_factor_setup_required`). Members without one are asked to set one up at their next log-in: until then that session answers 403 `second_factor_setup_required` to everything else. Sessions that are open, and API keys, go on working.',
  params: z.object({ id }),
  body: z.strictObject({ required: z.boolean() }),
  status: 200,
  response: z.object({ required: z.boolean() }),
  errors: ['second_factor_setup_required'],
});

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
    ticket: z.string().describe('Opaque, works once. Send it with the second factor.'),
    ways: z.array(z.enum(SECOND_FACTOR_WAYS)).describe('The second factors this account can use.'),
    expires_at: timestamp,
    passkey: requestOptions.nullable().describe('null: the account has no passkey.'),
  })
  .meta({ id: 'SecondStep' });

export type SecondStep = z.infer<typeof secondStep>;

// Authenticator apps show the six digits in two groups.
const totpCode = z
  .string()
  .meta({ examples: ['123456'] })
  .transform((value) => value.replace(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, { error: 'must be the 6 digits from the authenticator app' }));
const recoveryCode = z.string().min(1).max(40);
const ticket = z.string().min(1).max(4000);

export const finishLogIn = defineRoute({
  method: 'POST',
  path: '/core/v1/users/token/second-factor',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Finish logging in with a second factor',
  description: `Logging in to an account that has a second factor, by password or with Google, answers 403 \`second_factor_required\` with a \`SecondStep\` in \`data\` instead of a session. This call then opens the session. The ticket works once, within ${SECOND_FACTOR_MINUTES} minutes, unless the account gets another password, Google account or email. A wrong factor answers 401 \`second_factor_wrong\` and doesn't use up the ticket. A code from an authenticator app works once, up to 30 seconds before and after its time. Wrong attempts are limited per account and IP address.`,
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
    is_synced: z.boolean().describe("Whether it is synced to its owner's other devices."),
    is_blocked: z.boolean().describe('Its counter went backwards, which suggests a copy, so it is blocked.'),
  })
  .meta({ id: 'Passkey' });

export type Passkey = z.infer<typeof passkey>;

export const secondFactors = z
  .object({
    passkeys: z.array(passkey).describe('Oldest first.'),
    totp: z
      .object({ created_at: timestamp, last_used_at: timestamp.nullable() })
      .nullable()
      .describe('The authenticator app; null: none.'),
    recovery_codes: z
      .object({ left: z.number().int(), created_at: timestamp })
      .nullable()
      .describe('null: the account has no second factor and needs none.'),
    is_required: z.boolean().describe("Whether the account's organization requires a second factor."),
  })
  .meta({ id: 'SecondFactors' });

export type SecondFactors = z.infer<typeof secondFactors>;

const changed = z.object({
  second_factors: secondFactors,
  recovery_codes: z
    .array(z.string())
    .nullable()
    .describe('Shown only once; null unless this was the first second factor.'),
});

export type AddedFactor = z.infer<typeof changed>;

const params = z.object({ id });
const FACTORS_PATH = '/core/v1/users/{id}/second-factors';
const setup = z.string().min(1).max(4000).describe('From the response that started the setup.');

const shared = { access: 'user', tag: 'Accounts', duringSetUp: true } as const;

export const listSecondFactors = defineRoute({
  ...shared,
  method: 'GET',
  path: FACTORS_PATH,
  summary: 'Read your second factors',
  params,
  status: 200,
  response: secondFactors,
});

export const startTotp = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/totp/start`,
  summary: 'Start setting up an authenticator app',
  description:
    'Returns a new secret. It becomes active once you send a code of the app to `POST …/totp`. To add or remove a second factor, you need a login from the last 10 minutes, or one `POST /core/v1/users/{id}/reauthentication`. Otherwise this answers 403 `reauthentication_required`.',
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
  summary: 'Add the authenticator app with a code from it',
  params,
  body: z.strictObject({ setup, code: totpCode }),
  status: 201,
  response: changed,
  errors: ['reauthentication_required', 'conflict', 'link_used', 'rate_limited'],
});

const LAST_FACTOR =
  "You can't remove your last second factor while your organization requires one (409 `last_second_factor`).";

export const removeTotp = defineRoute({
  ...shared,
  method: 'DELETE',
  path: `${FACTORS_PATH}/totp`,
  summary: 'Remove the authenticator app',
  description: LAST_FACTOR,
  params,
  status: 200,
  response: secondFactors,
  errors: ['reauthentication_required', 'last_second_factor'],
});

export const startPasskey = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/passkeys/start`,
  summary: 'Start adding a passkey',
  params,
  status: 200,
  response: z.object({ options: creationOptions, setup }),
  errors: ['reauthentication_required', 'limit_reached'],
});

export const addPasskey = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/passkeys`,
  summary: 'Add a passkey created by the browser',
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
  description: LAST_FACTOR,
  params: passkeyParams,
  status: 200,
  response: secondFactors,
  errors: ['reauthentication_required', 'last_second_factor'],
});

export const createRecoveryCodes = defineRoute({
  ...shared,
  method: 'POST',
  path: `${FACTORS_PATH}/recovery-codes`,
  summary: 'Create new recovery codes; the old ones stop working',
  params,
  status: 201,
  response: z.object({ second_factors: secondFactors, recovery_codes: z.array(z.string()) }),
  errors: ['reauthentication_required', 'conflict'],
});

export const startReauthentication = defineRoute({
  ...shared,
  method: 'POST',
  path: '/core/v1/users/{id}/reauthentication/start',
  summary: "List the ways to confirm it's you",
  params,
  status: 200,
  response: z.object({
    is_recent: z.boolean().describe("The session is already recent, so there's nothing to confirm."),
    ways: z.array(z.enum(['password', ...SECOND_FACTOR_WAYS])),
    ticket: z.string(),
    passkey: requestOptions.nullable(),
  }),
});

export const reauthenticate = defineRoute({
  ...shared,
  method: 'POST',
  path: '/core/v1/users/{id}/reauthentication',
  summary: "Confirm it's you with your password or second factor",
  description: `Valid for this session, for ${RECENT_MINUTES} minutes.`,
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

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '#contract/second-factors.ts';

/** CBOR (RFC 8949) of what an authenticator says: numbers, texts, bytes and maps. */
type Cbor = number | string | Buffer | Map<number | string, Cbor>;

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const base64url = (data: Buffer) => data.toString('base64url');

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** What a test lets it do wrong. */
export interface Lies {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  /** In place of the next one. */
  counter?: number;
  /** Signed by another key. */
  forged?: boolean;
  credentialId?: string;
}

export interface Authenticator {
  create(options: PasskeyCreationOptions, lies?: Lies): PasskeyAttestation;
  get(options: PasskeyRequestOptions, lies?: Lies): PasskeyAssertion;
}

/** An authenticator with one passkey (ES256), as WebAuthn describes it, for calls without a browser. */
export function newAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let uses = 0;

  function clientData(type: string, challenge: string, lies: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );
  }

  function authenticatorData(rpId: string, flags: number, lies: Lies): Buffer {
    uses += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? uses);
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), counter]);
  }

  function publicKeyBytes(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    return cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
  }

  return {
    create(options, lies = {}) {
      const data = authenticatorData(options.rp.id, USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, lies);
      const length = Buffer.from([0, id.length]);
      const authData = Buffer.concat([data, Buffer.alloc(16), length, id, publicKeyBytes()]);
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        id: base64url(id),
        rawId: base64url(id),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', options.challenge, lies)),
          attestationObject: base64url(cbor(attestation)),
          transports: ['internal'],
        },
      };
    },
    get(options, lies = {}) {
      const authData = authenticatorData(options.rpId, USER_PRESENT | USER_VERIFIED, lies);
      const client = clientData('webauthn.get', options.challenge, lies);
      const signed = Buffer.concat([authData, sha256(client)]);
      const key = lies.forged === true ? stranger.privateKey : privateKey;
      const credentialId = lies.credentialId ?? base64url(id);
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(sign('sha256', signed, key)),
        },
      };
    },
  };
}

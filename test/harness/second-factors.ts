import { TOTP } from 'otpauth';
import { logIn, type Tokens } from '#contract/accounts.ts';
import type { ApiError } from '#contract/client.ts';
import {
  addPasskey,
  addTotp,
  finishLogIn,
  secondStep,
  type SecondStep,
  startPasskey,
  startTotp,
} from '#contract/second-factors.ts';
import { type Authenticator, newAuthenticator } from './authenticator.ts';
import type { TestProduct } from './product.ts';
import { type Owner, PASSWORD } from './world.ts';

export interface AuthenticatorApp {
  secret: string;
  /** What it shows, `steps` of half a minute from the product's time. */
  code(steps?: number): string;
}

export function authenticatorApp(product: Pick<TestProduct, 'clock'>, secret: string): AuthenticatorApp {
  const totp = new TOTP({ secret });
  return {
    secret,
    code: (steps = 0) => totp.generate({ timestamp: product.clock.now().getTime() + steps * 30_000 }),
  };
}

/** An account with an authenticator app; its codes count from the next step on. */
export async function addAppTo(
  product: TestProduct,
  owner: Pick<Owner, 'id' | 'token'>,
): Promise<{ app: AuthenticatorApp; codes: string[] }> {
  const params = { id: owner.id };
  const { secret, setup } = await product.call(startTotp, { params }, owner);
  const app = authenticatorApp(product, secret);
  const added = await product.call(addTotp, { params, body: { setup, code: app.code() } }, owner);
  product.clock.advance({ seconds: 30 });
  return { app, codes: added.recovery_codes ?? [] };
}

export async function addPasskeyTo(
  product: TestProduct,
  owner: Owner,
  name = 'Phone',
): Promise<{ authenticator: Authenticator; id: string; codes: string[] }> {
  const params = { id: owner.id };
  const authenticator = newAuthenticator(product.url);
  const { options, setup } = await product.call(startPasskey, { params }, owner);
  const body = { setup, name, attestation: authenticator.create(options) };
  const added = await product.call(addPasskey, { params, body }, owner);
  const id = added.second_factors.passkeys.at(-1)?.id ?? '';
  return { authenticator, id, codes: added.recovery_codes ?? [] };
}

/** What a log-in that needs a second factor answers. */
export function stepOf(refused: ApiError): SecondStep {
  return secondStep.parse(refused.data);
}

/** The first step, by the password. */
export async function beginLogIn(
  product: TestProduct,
  owner: Owner,
  password = PASSWORD,
): Promise<SecondStep> {
  const refused = await product.refuse(logIn, { body: { username: owner.username, password } });
  return stepOf(refused);
}

export async function logInByApp(product: TestProduct, owner: Owner, app: AuthenticatorApp): Promise<Tokens> {
  const { ticket } = await beginLogIn(product, owner);
  return product.call(finishLogIn, { body: { ticket, way: 'totp', code: app.code() } });
}

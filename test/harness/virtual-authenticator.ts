import type { CDPSession, Page } from 'playwright-core';

export interface VirtualAuthenticator {
  /** Whether the person is there and willing; `false` is somebody who walked away. */
  isPresent(isPresent: boolean): Promise<void>;
  /** How many passkeys it holds. */
  count(): Promise<number>;
  /** What it says next time about how often it was used. */
  turnBack(): Promise<void>;
  remove(): Promise<void>;
}

/** Chromium's own authenticator in the window: a phone or a laptop with a fingerprint, without a person. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const held = async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  return {
    async isPresent(isPresent) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isPresent });
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: isPresent });
    },
    count: async () => (await held()).length,
    async turnBack() {
      const [credential] = await held();
      if (credential === undefined) throw new Error('There is no passkey to copy');
      await session.send('WebAuthn.clearCredentials', { authenticatorId });
      await session.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: { ...credential, signCount: 0 },
      });
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    },
  };
}

import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import { scaled } from '#test/harness/scale.ts';
import { type Business, nobodyIsWronged, startBusiness } from './play.ts';

let business: Business;

beforeAll(async () => {
  business = await startBusiness();
});

afterAll(() => business.stop());

it('nobody receives what they last refused, in new random stories', { timeout: 3_600_000 }, () =>
  fc.assert(nobodyIsWronged(business), { numRuns: scaled(400) }),
);

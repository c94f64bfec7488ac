import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { EVIDENCE_KEYS_PATH } from '#contract/proof.ts';
import { evidenceKeys, storeEvidenceKeys } from '#server/audience/evidence-heads/evidence-keys.ts';
import { signerOf } from '#server/audience/evidence-heads/signing.ts';
import { openDatabase } from '#server/platform/database.ts';
import { fingerprintsOf } from '#server/platform/installation.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate, migrateTables } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { QUEUES } from '#server/queues.ts';
import { createEmptyDatabase, dropDatabase, inDatabase } from '#test/harness/nodes.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';

const OLD = inject('secretKey');
const NEW = `${'n'.repeat(40)}-new`;

/** A key pair that no SECRET_KEY of the installation has. */
const keyOf = (secret: string) => signerOf(createKeyring([secret.repeat(40)])).key;
const own = signerOf(createKeyring([OLD])).key;

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct();
});

afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(product.services, { keyring: createKeyring([OLD]) });
});

afterAll(() => product.stop());

const owner = () => product.testDatabase.owner;

async function published(): Promise<string[]> {
  const response = await fetch(`${product.url}${EVIDENCE_KEYS_PATH}`);
  return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

async function insertKey(db: Pick<pg.Pool, 'query'>, { kid, x }: { kid: string; x: string }): Promise<void> {
  await db.query('insert into evidence_keys (kid, public_key, created_at) values ($1, $2, $3)', [
    kid,
    Buffer.from(x, 'base64url'),
    new Date('2026-01-01T00:00:00Z'),
  ]);
}

async function restartWith(...keys: string[]): Promise<void> {
  const other = await startTestProduct({ beside: product, env: { SECRET_KEY: keys.join(',') } });
  await other.stop();
  Object.assign(product.services, { keyring: createKeyring(keys) });
}

describe('the public keys of an installation', () => {
  it('are stored at the start, before anything is signed, and outlive their private keys', async () => {
    const { rows } = await owner().query<{ kid: string }>('select kid from evidence_keys');
    expect(rows).toEqual([{ kid: own.kid }]);
    await restartWith(NEW, OLD);
    await restartWith(NEW);
    expect(await published()).toEqual([signerOf(createKeyring([NEW])).key.kid, own.kid]);
    // A process that still runs with the older key alone, during a rolling restart, knows the newer one, too.
    Object.assign(product.services, { keyring: createKeyring([OLD]) });
    expect(await published()).toEqual([own.kid, signerOf(createKeyring([NEW])).key.kid]);
  });

  it('do not include one that someone put into the database, whatever it contains', async () => {
    const foreign = keyOf('f');
    const before = await published();
    await insertKey(owner(), foreign);
    await owner().query(
      'insert into evidence_key_endorsements (kid, mac) select $1, mac from evidence_key_endorsements limit 1',
      [foreign.kid],
    );
    const logged = vi.spyOn(product.services.log, 'error');
    await storeEvidenceKeys(product.services);
    expect(await published()).toEqual(before);
    expect(logged).toHaveBeenCalledWith({ kids: [foreign.kid] }, expect.stringContaining("didn't store"));

    // Neither with the name of another key, nor as one from before, once there is an endorsed one.
    await owner().query('update evidence_keys set public_key = $2 where kid = $1', [
      own.kid,
      Buffer.from(foreign.x, 'base64url'),
    ]);
    await owner().query('update installation set keys_from_before = array[$1]', [foreign.kid]);
    await storeEvidenceKeys(product.services);
    expect(await published()).toEqual(before);
    await owner().query('update evidence_keys set public_key = $2 where kid = $1', [
      own.kid,
      Buffer.from(own.x, 'base64url'),
    ]);
  });

  it('from the previous version are adopted by the upgrade, once', async () => {
    const [older, later] = [keyOf('o'), keyOf('l')];
    const name = `sayso_test_${randomBytes(6).toString('hex')}`;
    await createEmptyDatabase(inject('ownerUrl'), name);
    const url = inDatabase(inject('ownerUrl'), name);
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const keyring = createKeyring([OLD]);
    const log = createLog('silent');
    try {
      await migrateTables(url, QUEUES, '0016-grown-rows');
      await pool.query('insert into installation (id, key_fingerprint) values (1, $1)', [
        fingerprintsOf(keyring)[0],
      ]);
      await insertKey(pool, older);
      const appUrl = await migrate(url, keyring, QUEUES);
      const database = openDatabase(appUrl, { log, maxConnections: 2 });
      const services = { database, keyring, clock: product.clock, log };
      try {
        const logged = vi.spyOn(log, 'warn');
        await storeEvidenceKeys(services);
        const kids = async () => (await evidenceKeys(services)).map(({ kid }) => kid);
        expect(await kids()).toEqual([own.kid, older.kid]);
        expect(logged).toHaveBeenCalledWith({ kids: [older.kid] }, expect.stringContaining('taken over'));
        await insertKey(pool, later);
        await migrate(url, keyring, QUEUES);
        await storeEvidenceKeys(services);
        expect(await kids()).toEqual([own.kid, older.kid]);
      } finally {
        await database.close();
      }
    } finally {
      await pool.end();
      await dropDatabase(inject('ownerUrl'), name);
    }
  });
});

import pg from 'pg';

/** What the passing of their time does to the leases of workers that are gone. */
export async function endLeases(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query('update deliveries set next_attempt_at = now() where next_attempt_at > now()');
    await client.query('update sites_with_work set due_at = now(), hold_until = now()');
  } finally {
    await client.end();
  }
}

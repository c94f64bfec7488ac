import pg from 'pg';
import { readFileSync } from 'node:fs';
const dir = process.argv[2] ?? '/tmp/ten-million-data/small';
const pid = readFileSync(dir + '/postgres/cluster/postmaster.pid', 'utf8').split('\n');
const pw = (await import('node:fs')).readdirSync(dir + '/postgres');
console.log(pw);
const password = readFileSync(dir + '/postgres/password', 'utf8').trim();
const c = new pg.Client({ host: '127.0.0.1', port: Number(pid[3]), user: 'postgres', password, database: 'sayso' });
await c.connect();
const [{ id }] = (await c.query(`select site_id as id from host_names where host like 'millions%'`)).rows;
for (const q of readFileSync(process.argv[3], 'utf8').split(';;').map((s) => s.trim()).filter(Boolean)) {
  console.log('---', q.replaceAll('$S', `'${id}'`).slice(0, 300));
  const r = await c.query(q.replaceAll('$S', `'${id}'`));
  for (const row of r.rows) console.log(Object.values(row).join(' | '));
}
await c.end();

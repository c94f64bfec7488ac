import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import { createProcessMetrics } from '#server/platform/process-metrics.ts';
import { BLOCKS, watchEventLoop } from './event-loop.ts';

/** Work of this much CPU time, however busy the machine is. */
function work(milliseconds: number): void {
  const start = process.cpuUsage();
  const spent = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  while (spent() < milliseconds);
}

it('work that holds everybody up is counted and logged with its route, and no other work is', async () => {
  const lines: { msg: string; routes: string[] }[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const metrics = createProcessMetrics([BLOCKS]);
  const app = fastify();
  onTestFinished(() => app.close());
  watchEventLoop(app, { log, metrics });
  app.get('/quick/:id', async () => 'done');
  app.get('/slow/:id', async () => {
    work(600);
    return 'done';
  });
  await app.inject('/quick/1');
  expect(lines).toEqual([]);
  await app.inject('/slow/vera@example.com');
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0]?.routes).toContain('GET /slow/:id');
  expect(JSON.stringify(lines)).not.toContain('vera');
  expect(await metrics.registry.metrics()).toContain('sayso_event_loop_blocks_total 1');
});

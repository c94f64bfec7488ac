import { startFakeTools } from './all.ts';

/* The stand-ins as a process of their own, for `npm run dev` and `npm run demo`. */

const tools = await startFakeTools();

// Only tests look at what a fake has seen, and they run fakes of their own; this process may stay up for days.
setInterval(() => {
  for (const { seen } of Object.values(tools.fakes)) seen.length = 0;
}, 60_000).unref();

async function stop(): Promise<void> {
  await tools.close();
  process.exit(0);
}

process.on('SIGTERM', () => void stop());
// The terminal tells everybody of Ctrl-C; the server still needs its tools while it ends.
process.on('SIGINT', () => {});
// Its parent was killed.
process.on('disconnect', () => void stop());
process.send?.({ url: tools.url, tools: tools.accounts });

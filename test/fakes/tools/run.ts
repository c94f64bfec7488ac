import { startFakeTools } from './all.ts';

/* The stand-ins as a process of their own, for `npm run dev` and `npm run demo`. */

const tools = await startFakeTools();

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

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * A process that unsubscribes by one link after the other, as a mail provider does: what its caller does meanwhile doesn't count. On
 * SIGTERM it ends, and prints the answers. Arguments: the product's URL, and milliseconds between one-clicks; then the links.
 */

/** An answer to a one-click, or the status 0 where none came. */
export interface OneClick {
  status: number;
  ms: number;
}

const [url = '', pauseMs, ...links] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const answers: OneClick[] = [];
let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
});

async function unsubscribe(link: string): Promise<number> {
  const { host, pathname, search } = new URL(link);
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = request(url + pathname + search, { method: 'POST', agent, headers });
  sent.end('List-Unsubscribe=One-Click');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode ?? 0;
}

console.log('started');
for (let n = 0; !isOver; n += 1) {
  const began = performance.now();
  const status = await unsubscribe(links[n % links.length] ?? '').catch(() => 0);
  answers.push({ status, ms: performance.now() - began });
  await sleep(Number(pauseMs));
}
agent.destroy();
console.log(JSON.stringify(answers));

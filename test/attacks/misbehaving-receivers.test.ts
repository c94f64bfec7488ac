import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, OutboundError, STATUS_ONLY, type Wanted } from '#server/platform/outbound.ts';
import {
  MISBEHAVIOURS,
  type MisbehavingReceiver,
  onRequest,
  type Outcome,
  startReceiver,
} from '#test/fakes/misbehaving-receivers.ts';

/** All of them are met at once: a busy machine has to reach those that end before it in time. */
const DEADLINE_MS = 4000;
/** What a busy machine may add. */
const SLACK_MS = 2500;
/** The most that may be on its way in the buffers of two sockets when we hang up. */
const IN_BUFFERS = 12 * 1024 * 1024;
const MAX_BYTES = 64 * 1024;

const outbound = createOutbound({
  allowPrivateTargets: true,
  deadlineMs: DEADLINE_MS,
  // A name server that never answers, and one that answers.
  lookup: (host, options, answer) => {
    if (host === 'silent.example') return;
    if (options.all === true) answer(null, [{ address: '127.0.0.1', family: 4 }]);
    else answer(null, '127.0.0.1', 4);
  },
});
const receivers: MisbehavingReceiver[] = [];

afterAll(async () => {
  outbound.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function receiverThat(...parts: Parameters<typeof startReceiver>): Promise<MisbehavingReceiver> {
  const receiver = await startReceiver(...parts);
  receivers.push(receiver);
  return receiver;
}

async function outcomeOf(
  url: string,
  body = 'a choice',
  wanted: Wanted = {},
): Promise<{ outcome: Outcome; ms: number }> {
  const start = performance.now();
  const outcome = await outbound.send({ method: 'POST', url, headers: {}, body }, wanted).then(
    ({ status }): Outcome => status,
    (error: unknown): Outcome => {
      if (error instanceof OutboundError && error.kind !== 'blocked') return error.kind;
      throw error;
    },
  );
  return { outcome, ms: performance.now() - start };
}

/** No line is in use any more, and nobody waits for one. */
function expectFreed() {
  return expect.poll(() => outbound.load(), { timeout: 5000 }).toEqual({ busy: 0, waiting: 0 });
}

/** Resolves when the receiver has noticed that we hung up on all its lines. */
function expectHungUp({ open }: MisbehavingReceiver) {
  // Who does not read does not notice.
  for (const socket of open) socket.resume();
  return expect.poll(() => open.size, { timeout: 5000 }).toBe(0);
}

type Behaviour = Omit<(typeof MISBEHAVIOURS)[number], 'byStatus'>;

const DECIDED_BY_STATUS = MISBEHAVIOURS.flatMap(({ byStatus, ...one }) =>
  byStatus === undefined ? [] : [{ ...one, outcome: byStatus }],
);

const WAYS: { way: string; wanted: Wanted; behaviours: readonly Behaviour[] }[] = [
  { way: 'read as a whole', wanted: {}, behaviours: MISBEHAVIOURS },
  { way: 'of which the status counts', wanted: STATUS_ONLY, behaviours: DECIDED_BY_STATUS },
];

describe.each(WAYS)(
  'a misbehaving receiver, $way, costs at most the deadline and gives its place back',
  ({ wanted, behaviours }) => {
    const results = new Map<string, ReturnType<typeof meet>>();

    async function meet({ name, misbehave, scheme }: Behaviour) {
      const receiver = await receiverThat(misbehave, scheme);
      // More than the buffers of a line take, for who answers without having read it.
      const body = 'x'.repeat(name.startsWith('answers early') ? 16 * 1024 * 1024 : 1000);
      return { receiver, result: await outcomeOf(receiver.url, body, wanted) };
    }

    // All at once: one after the other would take their deadlines in sum.
    beforeAll(() => {
      for (const one of behaviours) results.set(one.name, meet(one));
    });

    it.each(behaviours)('$name', async ({ name, outcome }) => {
      const { receiver, result } = (await results.get(name)) ?? expect.unreachable();
      expect(result.outcome).toBe(outcome);
      expect(result.ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
      expect(receiver.sentBytes()).toBeLessThan(4 * MAX_BYTES + IN_BUFFERS);
      await expectHungUp(receiver);
    });

    it('even thirty times', async () => {
      expect(MISBEHAVIOURS.length).toBeGreaterThanOrEqual(30);
      await expectFreed();
    });
  },
);

it('a name server that never answers costs the deadline', async () => {
  const { outcome, ms } = await outcomeOf('http://silent.example/hook');
  expect(outcome).toBe('timeout');
  expect(ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
});

it('a crowd before one silent receiver waits no longer than the deadline, and its places serve the next', async () => {
  let isSilent = true;
  const receiver = await receiverThat(
    onRequest((socket) => {
      if (!isSilent) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    }),
  );
  // More than the lines to one receiver: the rest wait for a line, which is part of their time.
  const crowd = await Promise.all(Array.from({ length: 80 }, () => outcomeOf(receiver.url)));
  expect(new Set(crowd.map(({ outcome }) => outcome))).toEqual(new Set(['timeout']));
  expect(Math.max(...crowd.map(({ ms }) => ms))).toBeLessThan(DEADLINE_MS + SLACK_MS);
  await expectFreed();
  isSilent = false;
  expect((await outcomeOf(receiver.url)).outcome).toBe(204);
});

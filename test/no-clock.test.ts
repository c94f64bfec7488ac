import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesOfSteps } from './harness/steps.ts';

const { unit, web, api, components, journeys, faults } = filesOfSteps();

/** What is slow on a busy machine is no fault: such tests count, or belong to `npm run prove`. */
const BY_THE_CLOCK = [
  { name: 'a sleep', pattern: /timers\/promises|\bsetTimeout\(|waitForTimeout/ },
  { name: 'elapsed time', pattern: /expect\([^;]*(?:performance|Date)\.now\(\)[^;]*toBeLess/ },
  { name: 'a limit in milliseconds', pattern: /expect\(\w*(?:Ms|[sS]econds)\)\.toBeLess/ },
];

it('no test of the gate sleeps or asserts on elapsed time', () => {
  const found = [...unit, ...web, ...api, ...components, ...journeys, ...faults]
    .filter((file) => file !== 'test/no-clock.test.ts')
    .flatMap((file) => {
      const lines = readFileSync(join(import.meta.dirname, '..', file), 'utf8').split('\n');
      return lines.flatMap((line, index) =>
        BY_THE_CLOCK.filter(({ pattern }) => pattern.test(line)).map(
          ({ name }) => `${file}:${index + 1}: ${name}`,
        ),
      );
    });
  expect(found).toEqual([]);
});

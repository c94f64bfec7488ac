import { expect, it } from 'vitest';
import { byScreen, problemsOfAll, SHOTS } from './shots.ts';

const layers = SHOTS.filter(({ state }) => state === 'open');

it.each(byScreen(layers))('%s looks right when it is %s', async (_name, _states, shots) => {
  expect(await problemsOfAll(shots)).toEqual({});
});

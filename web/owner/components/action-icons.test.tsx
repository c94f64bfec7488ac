import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ACTION_TYPES } from '#contract/actions.ts';
import { ActionTypeIcon } from './action-icons.tsx';

it('each of the nine types has an icon of its own', () => {
  const icons = ACTION_TYPES.map((type) => renderToStaticMarkup(<ActionTypeIcon type={type} />));
  expect(icons).toHaveLength(9);
  expect(new Set(icons).size).toBe(9);
  for (const icon of icons) expect(icon).toMatch(/^<svg [^>]*aria-hidden="true"/);
});

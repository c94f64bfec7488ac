import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ACTION_TYPES } from '#contract/actions.ts';
import { ActionTypeIcon } from './action-icons.tsx';

it('actions that stop emails and those that bring them back look different', () => {
  const iconOf = (type: 'global_unsubscribe' | 'suppression_group', operation: string) =>
    renderToStaticMarkup(<ActionTypeIcon type={type} operation={operation} />);
  expect(iconOf('global_unsubscribe', 'resubscribe')).not.toBe(iconOf('global_unsubscribe', 'unsubscribe'));
  expect(iconOf('suppression_group', 'remove')).not.toBe(iconOf('suppression_group', 'add'));
});

it('each of the nine types has an icon of its own (spec 116)', () => {
  const icons = ACTION_TYPES.map((type) => renderToStaticMarkup(<ActionTypeIcon type={type} />));
  expect(icons).toHaveLength(9);
  expect(new Set(icons).size).toBe(9);
  for (const icon of icons) expect(icon).toMatch(/^<svg [^>]*aria-hidden="true"/);
});

import type { Action } from '#contract/actions.ts';

/** An action for tests: a webhook for every unsubscribe, but for what `parts` say. */
export const anAction = (parts: Partial<Action> = {}): Action => ({
  id: 'action',
  type: 'webhook',
  name: 'Tell our shop',
  enabled: true,
  integration_id: null,
  trigger: { event: 'unsubscribed', list_ids: [] },
  operation: null,
  target: {},
  disabled_reason: null,
  disabled_because: null,
  target_gone_since: null,
  created_at: '2026-11-01T00:00:00Z',
  updated_at: '2026-11-01T00:00:00Z',
  warnings: [],
  ...parts,
});

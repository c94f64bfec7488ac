import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { LEAVE_REASONS, type LeaveReason, type Move, MOVES } from '#contract/choices.ts';
import { TEST_FILTERS, type TestFilterValue } from '#contract/fields.ts';
import { type Verdict, VERDICTS } from '#contract/judgements.ts';
import { inShell } from '../../routing/guarded-route.ts';
import { oneOf, parseTimestamp, textParams } from '../../routing/search-params.logic.ts';

const loadEvidenceScreen = () => import('./EvidenceScreen.tsx');

interface ChoiceSearch {
  since?: string | undefined;
  chose?: 'true' | undefined;
  move?: Move | undefined;
  list_id?: string | undefined;
  reason?: LeaveReason | undefined;
  test?: TestFilterValue;
  verdict?: Verdict | undefined;
}

const evidence = createRoute({
  path: '/evidence',
  validateSearch: (search: Record<string, unknown>): ChoiceSearch => ({
    ...textParams(search, ['list_id']),
    since: parseTimestamp(search['since']),
    chose: oneOf(search['chose'], ['true'] as const),
    move: oneOf(search['move'], MOVES),
    reason: oneOf(search['reason'], LEAVE_REASONS),
    test: oneOf(search['test'], TEST_FILTERS),
    verdict: oneOf(search['verdict'], VERDICTS),
  }),
  ...inShell({
    prefetchFrom: loadEvidenceScreen,
    title: 'evidence',
    texts: ['figures', 'evidence-check', 'customers', 'deliveries', 'test-mode'],
  }),
  component: lazyRouteComponent(loadEvidenceScreen, 'EvidenceScreen'),
});

export const evidenceRoutes = [evidence] as const;

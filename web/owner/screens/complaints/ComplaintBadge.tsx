import { useTranslation } from 'react-i18next';
import type { Complaint } from '#contract/complaints.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { useNow, useUtcDay } from '../../components/RelativeTime.tsx';
import { urgencyOf } from './complaints.logic.ts';

const TONES = { overdue: 'danger', soon: 'warning', later: 'neutral' } satisfies Record<string, BadgeTone>;

/** What is left of an open complaint's time; how a closed one ended. */
export function ComplaintBadge({
  complaint,
}: {
  complaint: Pick<Complaint, 'outcome' | 'due_at' | 'closed_at'>;
}) {
  const { t } = useTranslation('complaints');
  const day = useUtcDay();
  const now = useNow();
  const { outcome, due_at: dueAt } = complaint;
  if (outcome !== null) return <Badge>{t(`outcome.${outcome}`)}</Badge>;
  const urgency = urgencyOf(complaint, now);
  const text = urgency === 'overdue' ? 'clock.overdue' : 'clock.due';
  return <Badge tone={TONES[urgency]}>{t(text, { date: day(dueAt) })}</Badge>;
}

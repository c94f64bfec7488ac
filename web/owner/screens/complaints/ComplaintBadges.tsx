import { useTranslation } from 'react-i18next';
import type { Complaint } from '#contract/complaints.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { useNow, useUtcDay } from '../../components/RelativeTime.tsx';
import { urgencyOf } from './complaints.logic.ts';

const TONES = { overdue: 'danger', soon: 'warning', later: 'neutral' } satisfies Record<string, BadgeTone>;

/** Where a complaint stands, and that its sender may be someone else. */
export function ComplaintBadges({ complaint }: { complaint: Pick<Complaint, 'level'> & Standing }) {
  const { t } = useTranslation('complaints');
  return (
    <span className="flex flex-wrap gap-1.5">
      <StandingBadge complaint={complaint} />
      {complaint.level === 'open' && <Badge>{t('level.badge')}</Badge>}
    </span>
  );
}

type Standing = Pick<Complaint, 'outcome' | 'due_at' | 'closed_at'>;

/** What is left of an open complaint's time; how a closed one ended. */
function StandingBadge({ complaint }: { complaint: Standing }) {
  const { t } = useTranslation('complaints');
  const day = useUtcDay();
  const now = useNow();
  const { outcome, due_at: dueAt } = complaint;
  if (outcome !== null) return <Badge>{t(`outcome.${outcome}`)}</Badge>;
  const urgency = urgencyOf(complaint, now);
  const text = urgency === 'overdue' ? 'clock.overdue' : 'clock.due';
  return <Badge tone={TONES[urgency]}>{t(text, { date: day(dueAt) })}</Badge>;
}

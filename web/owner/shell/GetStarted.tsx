import { Link, useMatches } from '@tanstack/react-router';
import { ListTodo } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePermission } from '../account/permissions.ts';
import { useOnboardingFacts } from '../screens/dashboard/dashboard.api.ts';
import { stepsLeft, TASKS } from '../screens/dashboard/onboarding.logic.ts';
import { useChecklist } from '../screens/dashboard/use-checklist.ts';
import { ROW } from './sidebar-row.ts';

interface GetStartedProps {
  onNavigate: (() => void) | undefined;
}

/** Leads back to the onboarding checklist from every screen, until it is done. */
export function GetStarted(props: GetStartedProps) {
  const canEdit = usePermission('editor');
  const { isHidden, isDone } = useChecklist();
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  // Steps are done on other screens: each navigation counts again.
  return canEdit && !isHidden && !isDone ? <Steps key={path} {...props} /> : null;
}

function Steps({ onNavigate }: GetStartedProps) {
  const { t } = useTranslation('shell');
  const { isBegun, begin, finish } = useChecklist();
  const { data } = useOnboardingFacts();
  const left = data ? stepsLeft(data, isBegun) : 0;
  const isFinished = data !== undefined && left === 0;
  useEffect(() => {
    if (isFinished) finish();
    else if (left > 0) begin();
  });
  if (left === 0) return null;
  return (
    <Link to="/dashboard" onClick={() => onNavigate?.()} className={ROW}>
      <ListTodo />
      <span className="flex-1">{t('get_started')}</span>
      <span className="text-xs font-normal">
        {t('get_started_progress', { done: TASKS.length - left, total: TASKS.length })}
      </span>
    </Link>
  );
}

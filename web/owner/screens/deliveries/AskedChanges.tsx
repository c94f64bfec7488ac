import { Check, Clock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { RequestedChange } from '#contract/actions.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { askedKey } from './asked.logic.ts';

type Asked = RequestedChange & { shown?: boolean | null };

/** `Tag “weekly”: removed` */
export function useAskedText(): (change: RequestedChange) => string {
  const { t } = useTranslation('deliveries');
  return (change) =>
    t(`asked.${askedKey(change)}`, {
      target: change.target?.name ?? '',
      email: change.email,
      previous: change.previous_email ?? '',
    });
}

/** What a tool was asked for, and whether it shows it, where that is known. */
export function AskedChanges({ changes, tool }: { changes: readonly Asked[]; tool: string }) {
  const { t } = useTranslation('deliveries');
  const textOf = useAskedText();
  return (
    <ul className="flex flex-col gap-1.5">
      {changes.map((change, index) => (
        <li key={index} className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="min-w-0 wrap-anywhere">{textOf(change)}</span>
          {change.shown === true && (
            <Badge tone="success" icon={<Check />}>
              {t('diff.shown', { tool })}
            </Badge>
          )}
          {change.shown === false && (
            <Badge tone="warning" icon={<Clock />}>
              {t('diff.not_shown', { tool })}
            </Badge>
          )}
        </li>
      ))}
    </ul>
  );
}

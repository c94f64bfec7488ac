import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ActionTypeIcon } from '../../components/action-icons.tsx';
import { ToolMark } from '../../components/ToolMark.tsx';
import { FailingSince } from './ActionNumbers.tsx';
import type { ActionGroup } from './grouping.logic.ts';
import { useConnectorOf } from './use-connector-of.ts';

interface GroupProps {
  group: ActionGroup;
  /** Since when the tool of all of them has been failing. */
  failingSince: string | null;
  children: ReactNode;
}

/** Actions that have something in common, under its name. */
export function Group({ group, failingSince, children }: GroupProps) {
  const { t } = useTranslation('actions');
  const name = 'name' in group ? group.name : t(`group.${group.kind}`);
  const count = group.actions.length;
  return (
    <section aria-label={name}>
      <div className="mb-2.5 flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Mark group={group} />
        <h2 className="min-w-0 font-semibold wrap-anywhere">{name}</h2>
        <span className="shrink-0 text-[13px] text-ink-muted">{t('group.count', { count })}</span>
        {failingSince !== null && <FailingSince at={failingSince} />}
      </div>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">{children}</ul>
    </section>
  );
}

function Mark({ group }: { group: ActionGroup }) {
  const { connector } = useConnectorOf(group.kind === 'tool' ? group.id : '');
  if (group.kind === 'tool') {
    return <ToolMark size="sm" name={group.name} logo={connector?.logo ?? null} />;
  }
  if (group.kind === 'webhook' || group.kind === 'evidence') {
    return (
      <span
        aria-hidden
        className="flex size-6 shrink-0 items-center justify-center rounded-md bg-accent-soft text-accent"
      >
        <ActionTypeIcon type={group.kind} size={14} />
      </span>
    );
  }
  return null;
}

import { Trans, useTranslation } from 'react-i18next';
import type { AuditActor, AuditEntry } from '#contract/audit-log.ts';
import type { Role } from '#contract/roles.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { RelativeTime } from '../../../components/RelativeTime.tsx';
import { listFormat } from '../../../i18n/formats.ts';
import { useLanguage } from '../../../i18n/i18n.ts';

/** The actor's current name; deleted accounts and keys have none. */
export function useActorName(): (actor: AuditActor) => string {
  const { t } = useTranslation('settings');
  return ({ kind, name }) => {
    if (kind === 'operator') return t('audit.operator');
    if (name === null) return t(kind === 'user' ? 'audit.somebody_gone' : 'audit.key_gone');
    return kind === 'user' ? name : t('audit.by_key', { name });
  };
}

export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('settings');
  const nameOf = useActorName();
  const checks = listFormat(useLanguage(), { type: 'unit' });
  const roleOf = (role: Role | null) => (role === null ? '' : t(`audit.role.${role}`));
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="text-pretty break-words">
          <Trans
            t={t}
            i18nKey={`audit.event.${entry.event}`}
            values={{
              name: entry.subject_name ?? (isMember(entry) ? t('audit.somebody_gone') : ''),
              count: entry.count ?? 0,
              role: roleOf(entry.role),
              previous: roleOf(entry.previous_role),
            }}
            components={{ b: <strong className="font-semibold" /> }}
          />
          {isCustomer(entry) && (
            <>
              {' '}
              <TextLink to="/customers/$id" params={{ id: entry.subject_id }}>
                {t('audit.show')}
              </TextLink>
            </>
          )}
        </p>
        {entry.event === 'site.taken_down' && (
          <p className="text-[13px] text-pretty break-words">{t('audit.reason', { reason: entry.reason })}</p>
        )}
        {entry.checks !== null && (
          <p className="text-[13px] text-pretty break-words">
            {t('audit.overridden', {
              checks: checks.format(entry.checks.map((check) => t(`audit.check.${check}`))),
              reason: entry.reason,
            })}
          </p>
        )}
        <p className="text-[13px] text-ink-muted">{nameOf(entry.actor)}</p>
      </div>
      <span className="shrink-0 text-[13px] text-ink-muted">
        <RelativeTime at={entry.at} />
      </span>
    </li>
  );
}

/** Members are named as they are called now, and no more once their account is gone. */
function isMember({ event }: AuditEntry): boolean {
  return event.startsWith('member.');
}

/** Links to customers who were not erased. */
function isCustomer(entry: AuditEntry): entry is AuditEntry & { subject_id: string } {
  const { event } = entry;
  const isThere = event.startsWith('customer.') && event !== 'customer.erased';
  return (isThere || event === 'agent.called_about_customer') && entry.subject_id !== null;
}

import { useTranslation } from 'react-i18next';
import type { DnsRecord } from '#contract/domains.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { insteadOfRoot, STATUS_TONES } from './domain.logic.ts';

/** One DNS record to set, and the value last seen for it. */
export function RecordItem({ record }: { record: DnsRecord }) {
  const { t } = useTranslation('site');
  const { type, name, value, status } = record;
  return (
    <li className="overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
        <h3 className="font-medium">{t('domain.record.title', { type })}</h3>
        <span role="status">
          <Badge tone={STATUS_TONES[status]}>{t(`domain.found.${status}`)}</Badge>
        </span>
      </div>
      <dl className="border-t border-line bg-sunken px-3 py-1">
        <Part label={t('domain.record.name')} value={name} copy={t('domain.record.copy_name', { type })} />
        <Part label={t('domain.record.value')} value={value} copy={t('domain.record.copy_value', { type })} />
      </dl>
      <Explanation record={record} />
    </li>
  );
}

function Part({ label, value, copy }: { label: string; value: string; copy: string }) {
  return (
    <div className="grid grid-cols-[1fr_auto] items-center gap-x-2 sm:grid-cols-[5rem_1fr_auto]">
      <dt className="col-span-2 text-[13px] text-ink-muted sm:col-span-1">{label}</dt>
      <dd className="min-w-0 font-mono text-[13px] wrap-anywhere">{value}</dd>
      <dd>
        <CopyButton value={value} label={copy} />
      </dd>
    </div>
  );
}

/** A root domain's CNAME is accepted by few providers. */
function RootNote({ host }: { host: string }) {
  const { t } = useTranslation('site');
  const instead = insteadOfRoot(host);
  if (instead === null) return null;
  return (
    <p className="border-t border-line bg-warning-soft px-3 py-2 text-[13px] text-pretty text-warning">
      {t('domain.root_record', { host, instead })}
    </p>
  );
}

function Explanation({ record: { type, name, status, found } }: { record: DnsRecord }) {
  const { t } = useTranslation('site');
  if (status === 'found') return null;
  const note = type === 'CNAME' && <RootNote host={name} />;
  if (status === 'unchecked') return note;
  return (
    <>
      {note}
      <div className="border-t border-line px-3 py-2 text-[13px] text-pretty">
        <p>{t(`domain.explained.${status}`)}</p>
        {found.map((one, index) => (
          <p key={index} className="font-mono wrap-anywhere">
            {one}
          </p>
        ))}
      </div>
    </>
  );
}

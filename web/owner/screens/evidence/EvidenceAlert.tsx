import { useTranslation } from 'react-i18next';
import type { EvidenceFinding } from '#contract/evidence-check.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useEvidenceCheck, useLastHead } from './evidence-check.api.ts';

/** How many are listed here; the API and `npm run verify` list more. */
const NAMED = 3;

/** Warns of tampered evidence; renders nothing otherwise. */
export function EvidenceAlert() {
  const { t } = useTranslation('evidence-check');
  const number = useNumber();
  const check = useEvidenceCheck().data;
  if (check === undefined || check.broken === 0) return null;
  return (
    <div role="alert">
      <Notice tone="danger">
        <p className="font-medium">{t('broken')}</p>
        <p className="mt-1 text-pretty">{t('broken_text', { number: number(check.broken) })}</p>
        <ul className="mt-2 flex flex-col gap-1">
          {check.findings.slice(0, NAMED).map((finding) => (
            <li key={`${finding.problem} ${finding.customer_id} ${finding.sequence}`}>
              <Finding finding={finding} />
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

function Finding({ finding: { problem, customer_id: id, sequence } }: { finding: EvidenceFinding }) {
  const { t } = useTranslation('evidence-check');
  const number = useNumber();
  if (id === null) return t(problem);
  return (
    <>
      {t(problem, { number: number(sequence ?? 0) })}{' '}
      <TextLink to="/customers/$id" params={{ id }}>
        {t('customer')}
      </TextLink>
    </>
  );
}

/** The time of the last successful check. */
export function EvidenceChecked() {
  const { t } = useTranslation('evidence-check');
  const number = useNumber();
  const check = useEvidenceCheck().data;
  if (check === undefined || check.checked_at === null || check.broken > 0) return null;
  return (
    <p className="mt-4 text-[13px] text-ink-muted">
      {t('intact', { number: number(check.records) })} <RelativeTime at={check.checked_at} />
    </p>
  );
}

/** When the evidence was last signed. */
export function EvidenceSigned() {
  const { t } = useTranslation('evidence-check');
  const head = useLastHead().data;
  if (head === undefined) return null;
  return (
    <p className="mt-1 text-[13px] text-ink-muted">
      {head === null ? (
        t('unsigned')
      ) : (
        <>
          {t('signed')} <RelativeTime at={head.signed_at} />
        </>
      )}
    </p>
  );
}

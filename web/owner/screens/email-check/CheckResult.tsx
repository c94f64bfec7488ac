import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import {
  type CheckStatus,
  EMAIL_FINDINGS,
  type EmailCheck,
  type EmailFinding,
  type EmailFindingCode,
} from '#contract/email-checks.ts';
import { Card } from '#web/ui/Card.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { useNumber } from '../../i18n/use-number.ts';

const LOOKS: Record<CheckStatus, { icon: LucideIcon; colour: string }> = {
  fault: { icon: CircleAlert, colour: 'text-danger' },
  warning: { icon: TriangleAlert, colour: 'text-warning' },
  hint: { icon: Info, colour: 'text-ink-muted' },
  ok: { icon: CircleCheck, colour: 'text-success' },
};

const TONES = { fault: 'danger', warning: 'warning', hint: 'success', ok: 'success' } as const;

/** What a check found, worst first. Takes the focus, so that it is read out. */
export function CheckResult({ check }: { check: EmailCheck }) {
  const { t } = useTranslation('email-check');
  return (
    <Card title={t('result.title')} titleRef={(title) => title?.focus()}>
      <div className="flex flex-col gap-5">
        <Verdict check={check} />
        <AboutEmail email={check.email} />
        <ul className="flex flex-col divide-y divide-line border-t border-line">
          {check.findings.map((finding) => (
            <Finding key={finding.code} finding={finding} />
          ))}
        </ul>
      </div>
    </Card>
  );
}

function Verdict({ check: { status, findings } }: { check: EmailCheck }) {
  const { t } = useTranslation('email-check');
  const number = useNumber();
  const count = (wanted: CheckStatus) => number(findings.filter((one) => one.status === wanted).length);
  const key = status === 'hint' ? 'ok' : status;
  return (
    <Notice tone={TONES[status]}>
      {t(`result.${key}`, { faults: count('fault'), warnings: count('warning') })}
    </Notice>
  );
}

const FACTS = ['subject', 'from', 'to'] as const;

function AboutEmail({ email }: Pick<EmailCheck, 'email'>) {
  const { t } = useTranslation('email-check');
  const facts = FACTS.flatMap((name) => {
    const value = email[name];
    return value === null ? [] : [{ name, value }];
  });
  if (facts.length === 0) return null;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[13px]">
      {facts.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-ink-muted">{t(`email.${name}`)}</dt>
          <dd dir="auto" className="wrap-anywhere">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const REASONS = ['display', 'size', 'colour', 'empty'] as const;

/** The texts name these of a finding's values. */
const VALUES = [
  ...(['host', 'number', 'value', 'domain', 'record', 'headers', 'signed'] as const),
  ...(['policy', 'email', 'to', 'field', 'kilobytes'] as const),
] as const;

function useValues(values: EmailFinding['values']): Record<(typeof VALUES)[number] | 'reason', string> {
  const { t } = useTranslation('email-check');
  const reason = REASONS.find((one) => one === values['reason']);
  const shown = Object.fromEntries(VALUES.map((name) => [name, values[name] ?? '']));
  return {
    ...(shown as Record<(typeof VALUES)[number], string>),
    reason: reason === undefined ? '' : t(`reason.${reason}`),
  };
}

function Finding({ finding: { code, check, status, values } }: { finding: EmailFinding }) {
  const { t } = useTranslation('email-check');
  const { icon: Icon, colour } = LOOKS[status];
  const shown = useValues(values);
  return (
    <li className="flex gap-3 py-3">
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${colour}`} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap gap-x-2 font-medium">
          {t(`checks.${check}`)}
          <span className={`font-normal ${colour}`}>{t(`status.${status}`)}</span>
        </p>
        <p className="text-pretty wrap-anywhere">{t(`found.${code}`, shown)}</p>
        {isFixable(code) && (
          <p className="text-[13px] text-pretty wrap-anywhere text-ink-muted">{t(`fix.${code}`, shown)}</p>
        )}
      </div>
    </li>
  );
}

type OkCode = {
  [Code in EmailFindingCode]: (typeof EMAIL_FINDINGS)[Code][1] extends 'ok' ? Code : never;
}[EmailFindingCode];

function isFixable(code: EmailFindingCode): code is Exclude<EmailFindingCode, OkCode> {
  return EMAIL_FINDINGS[code][1] !== 'ok';
}

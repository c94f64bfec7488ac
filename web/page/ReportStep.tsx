import { MAX_REPORT_DETAILS, REPORT_REASONS } from '#contract/abuse-reports.ts';
import { PageFrame } from './PageFrame.tsx';
import { usePage } from './page-context.tsx';
import { FIELD, inLanguage, type ReportView } from './view.ts';

/** Reports a page to the operator of the service: in neutral colours, because it isn't the business's own page. */
export function ReportStep() {
  const { view, t } = usePage();
  const { report } = view;
  if (!report) return null;
  if (report.done) {
    return (
      <PageFrame title={t('report.done')}>
        <p className="pp-lead">{t('report.after')}</p>
        <p className="pp-hint">{t('confirm.close')}</p>
      </PageFrame>
    );
  }
  return (
    <PageFrame title={t('report.title')} subtitle={report.url}>
      <p>{t('report.text')}</p>
      <ReportForm report={report} />
    </PageFrame>
  );
}

function ReportForm({ report }: { report: ReportView }) {
  const { view, t } = usePage();
  const { problem } = report;
  return (
    <form
      className="pp-form pp-panel pp-report"
      method="post"
      action={inLanguage(view, report.action)}
      noValidate
    >
      <fieldset aria-describedby={problem === 'reason' ? 'problem' : undefined}>
        <legend>{t('report.reason')}</legend>
        {problem === 'reason' && <Problem text={t('report.choose')} />}
        {REPORT_REASONS.map((reason) => (
          <label key={reason}>
            <input
              type="radio"
              name={FIELD.reason}
              value={reason}
              required
              defaultChecked={reason === report.reason}
            />
            {t(`report.${reason}`)}
          </label>
        ))}
      </fieldset>
      <label htmlFor="details">{t('report.details')}</label>
      <textarea
        id="details"
        name={FIELD.text}
        rows={5}
        maxLength={MAX_REPORT_DETAILS}
        defaultValue={report.text}
      />
      <label htmlFor="email">{t('report.email')}</label>
      {problem === 'email' && <Problem text={t('pref_template.error_invalid')} />}
      <input
        id="email"
        type="email"
        name={FIELD.email}
        maxLength={254}
        autoComplete="email"
        defaultValue={report.email}
        aria-invalid={problem === 'email'}
        aria-describedby={problem === 'email' ? 'problem' : undefined}
      />
      <button type="submit" className="pp-button pp-primary">
        {t('report.send')}
      </button>
    </form>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p className="pp-error" id="problem" role="alert">
      {text}
    </p>
  );
}

import { useId, useState, type SubmitEvent } from 'react';
import { DATA_FAILURE_KEYS } from './failure-keys.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import { actionOf, dayText, FIELD, MAX_COMPLAINT, type ViewCustomer } from './view.ts';

type Sent = { masked_email: string; due_at: string };

/** Complains about how the data is used. What was typed stays until it has been sent. */
export function Complaint({ customer }: { customer: ViewCustomer }) {
  const { view, service, t } = usePage();
  const { notice } = view;
  const id = useId();
  const [sent, setSent] = useState<Sent | null>(notice?.kind === 'complained' ? notice : null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const field = form.querySelector('textarea');
    const text = field?.value.trim() ?? '';
    if (text === '') return field?.focus();
    setBusy(true);
    setSent(null);
    setFailure(null);
    try {
      setSent(await service.complain(customer, text));
      form.reset();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  }

  return (
    <details open={notice?.kind === 'complained'}>
      <summary>{t('complaint.title')}</summary>
      <p id={`${id}-hint`}>{t('complaint.text')}</p>
      <form
        className="pp-complaint"
        method="post"
        action={actionOf(view)}
        onSubmit={(event) => void submit(event)}
      >
        <FormIdentity intent="complain" customer={customer} />
        <label htmlFor={id}>{t('complaint.label')}</label>
        <textarea
          id={id}
          name={FIELD.text}
          rows={5}
          maxLength={MAX_COMPLAINT}
          required
          aria-describedby={`${id}-hint`}
        />
        <button type="submit" className="pp-button" aria-busy={busy}>
          {t('complaint.send')}
        </button>
      </form>
      <p className={failure ? 'pp-error' : 'pp-data-answer'} role="status">
        {sent
          ? t('complaint.sent', { email: sent.masked_email, date: dayText(view.language, sent.due_at) })
          : failure && t(DATA_FAILURE_KEYS[failure])}
      </p>
    </details>
  );
}

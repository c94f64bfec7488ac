import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { isSameAddress } from '#contract/email-key.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { useHydrated, usePage } from './page-context.tsx';
import { typedFields } from './typed-fields.ts';
import { actionOf, FIELD, mayOnlyLeave, type ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onChanged: (customer: ViewCustomer) => void };

/** The customer's address, and the button to change it. */
export function EmailRow({ customer, onChanged }: Props) {
  const { view, t, parts } = usePage();
  const plainForm = useRef<HTMLDetailsElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  const [isPlain, setPlain] = useState(true);
  const inBrowser = useHydrated() && !isPlain ? parts : null;
  const [isOpen, setIsOpen] = useState(false);
  const [isUpdated, setIsUpdated] = useState(view.notice?.kind === 'email_updated');
  const canChange = view.page.attrs.allow_email_change && !mayOnlyLeave(customer);

  // Not from under somebody who is already typing into it, or has done so.
  useEffect(() => {
    const details = plainForm.current;
    if (!parts || (details && (details.open || typedFields(details).length > 0))) return;
    hadFocus.current = details?.contains(document.activeElement) === true;
    setPlain(false);
  }, [parts]);

  useLayoutEffect(() => {
    if (!isPlain && hadFocus.current) button.current?.focus();
  }, [isPlain]);

  return (
    <div className="pp-email pp-panel">
      <div className="pp-email-row pp-whole">
        <p>
          <span className="pp-hint">{t('pref_template.email_label')}</span>
          <strong translate="no">
            <Address email={customer.email} />
          </strong>
        </p>
        {canChange && inBrowser && (
          <button
            ref={button}
            type="button"
            className="pp-button"
            aria-label={t('pref_template.change_email')}
            aria-haspopup="dialog"
            onClick={() => setIsOpen(true)}
          >
            {t('pref_template.change')}
          </button>
        )}
        {canChange && !inBrowser && <PlainEmailForm customer={customer} details={plainForm} />}
      </div>
      <p className="pp-tick pp-email-updated" role="status">
        {isUpdated && t('pref_template.email_updated')}
      </p>
      {canChange && inBrowser && (
        <inBrowser.EmailDialog
          customer={customer}
          isOpen={isOpen}
          onClose={() => setIsOpen(false)}
          onChanged={(changed) => {
            setIsUpdated(!isSameAddress(changed.email, customer.email));
            onChanged(changed);
          }}
        />
      )}
    </div>
  );
}

type PlainProps = { customer: ViewCustomer; details: RefObject<HTMLDetailsElement | null> };

/** The same without JavaScript, or until the dialog is loaded: a form that unfolds under the button. */
function PlainEmailForm({ customer, details }: PlainProps) {
  const { view, t } = usePage();
  const id = useId();
  const sent = view.notice?.kind === 'error' && view.notice.field === 'new_email' ? view.notice : null;
  return (
    <details className="pp-plain-email" ref={details} open={sent !== null}>
      <summary className="pp-button" aria-label={t('pref_template.change_email')}>
        {t('pref_template.change')}
      </summary>
      <form method="post" action={actionOf(view)} noValidate>
        <FormIdentity intent="change_email" customer={customer} />
        <label htmlFor={id}>{t('modal_mail.label')}</label>
        {sent && (
          <p className="pp-error" id={`${id}-error`}>
            {t(sent.key)}
          </p>
        )}
        <input
          id={id}
          type="email"
          name={FIELD.newEmail}
          defaultValue={sent?.value ?? ''}
          maxLength={254}
          autoComplete="email"
          aria-invalid={sent !== null}
          aria-describedby={sent ? `${id}-error` : undefined}
        />
        <button type="submit" className="pp-button pp-primary">
          {t('modal_mail.update')}
        </button>
      </form>
    </details>
  );
}

/** Breaks a long address before its domain first. */
function Address({ email }: { email: string }) {
  const at = email.lastIndexOf('@');
  return (
    <>
      <span>{email.slice(0, at)}</span>
      <wbr />
      <span>{email.slice(at)}</span>
    </>
  );
}

import type { PendingChange } from '#contract/pending-changes.ts';
import { usePage } from './page-context.tsx';
import { listNames } from './list-names.ts';
import { Resend } from './Resend.tsx';
import { dayText, type ViewCustomer } from './view.ts';

/** The changes that await confirmation by email, and where that email went; also shown after a reload. */
export function PendingNote({ customer }: { customer: ViewCustomer }) {
  return (
    <>
      <div className="pp-pending" role="status">
        {customer.pending.map((change) => (
          <Pending key={change.kind} change={change} email={customer.email} />
        ))}
      </div>
      {customer.pending.some(({ kind }) => kind === 'subscribe') && (
        <Resend customer={customer} kind="subscribe" />
      )}
    </>
  );
}

/** Names the lists, so that nobody takes it for the other choices, which are saved. */
function Pending({ change, email }: { change: PendingChange; email: string }) {
  const { view, t } = usePage();
  const { kind, until, list_ids: ids = [] } = change;
  const { lists } = view.page;
  const waiting = lists.filter(({ id }) => ids.includes(id));
  const date = dayText(view.language, until);
  if (waiting.length === 0) {
    const key = kind === 'email_change' ? 'pending.email_change' : 'pending.resubscribe';
    return <p className="pp-note pp-quiet">{t(key, { email, date })}</p>;
  }
  const names = listNames(waiting, view.language, t('result.more'));
  return (
    <p className="pp-note pp-quiet">
      <span>{t('pending.lists', { lists: names, email, date })}</span>
      {waiting.length < lists.length && <span>{` ${t('pending.rest')}`}</span>}
    </p>
  );
}

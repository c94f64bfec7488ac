import { usePage } from './page-context.tsx';
import { dayText, type ViewCustomer } from './view.ts';

/** The change that awaits confirmation by email, and where that email went; also shown after a reload. */
export function PendingNote({ customer }: { customer: ViewCustomer }) {
  const { view, t, parts } = usePage();
  return (
    <>
      <div className="pp-pending" role="status">
        {customer.pending.map(({ kind, until }) => (
          <p key={kind} className="pp-note pp-quiet">
            {t(kind === 'email_change' ? 'pending.email_change' : 'pending.resubscribe', {
              email: customer.email,
              date: dayText(view.language, until),
            })}
          </p>
        ))}
      </div>
      {parts && customer.pending.some(({ kind }) => kind === 'subscribe') && (
        <parts.Resend customer={customer} kind="subscribe" />
      )}
    </>
  );
}

import { usePage } from './page-context.tsx';
import { dayText, type ViewCustomer } from './view.ts';

/** What waits for a click in an email, and where to look for it; also after the page was loaded again. */
export function PendingNote({ customer }: { customer: ViewCustomer }) {
  const { view, t } = usePage();
  return (
    <div className="pp-pending" role="status">
      {customer.pending.map(({ kind, until }) => (
        <p key={kind} className="pp-note pp-quiet">
          {t(`pending.${kind}`, { email: customer.email, date: dayText(view.language, until) })}
        </p>
      ))}
    </div>
  );
}

import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { actionOf, FIELD, type ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onLeaveAll: () => void };

/** Unsubscribe from all: switches every list off, and is saved with the rest. Without the script it saves at once. */
export function LeaveAllForm({ customer, onLeaveAll }: Props) {
  const { view, t } = usePage();
  return (
    <form
      className="pp-leave-all"
      method="post"
      action={actionOf(view)}
      onSubmit={(event) => {
        event.preventDefault();
        onLeaveAll();
      }}
    >
      <FormIdentity intent="unsubscribe_all" customer={customer} />
      {view.page.lists.map(({ id }) => (
        <input key={id} type="hidden" name={FIELD.list} value={id} />
      ))}
      <button type="submit" className="pp-button pp-plain">
        {t('pref_template.unsubscribe_all')}
      </button>
    </form>
  );
}

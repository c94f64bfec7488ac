import { usePage } from './page-context.tsx';
import { FIELD, type Intent, type ViewCustomer } from './view.ts';

/** The hidden fields that every plain form of a known customer carries. */
export function FormIdentity({ intent, customer }: { intent: Intent; customer: ViewCustomer }) {
  const { view } = usePage();
  return (
    <>
      <input type="hidden" name={FIELD.intent} value={intent} />
      <input type="hidden" name={FIELD.customer} value={customer.id} />
      <input type="hidden" name={FIELD.saveId} value={view.save_id} />
    </>
  );
}

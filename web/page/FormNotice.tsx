import { FormIdentity } from './FormIdentity.tsx';
import { LeaveReasons } from './LeaveReasons.tsx';
import { usePage } from './page-context.tsx';
import { SaveResult } from './SaveResult.tsx';
import { actionOf, FIELD, hasLeft, type PageNotice, type ViewCustomer } from './view.ts';

/** The outcome of a plain form, at the top of the page, for visitors without JavaScript. */
export function FormNotice({ customer }: { customer: ViewCustomer }) {
  const { view, t } = usePage();
  const { notice } = view;
  if (notice === null || isToldElsewhere(notice)) return null;
  if (notice.kind === 'saved') return <SavedNotice notice={notice} customer={customer} />;
  if (notice.kind === 'error') {
    if (notice.field !== null) return null;
    return (
      <p className="pp-note pp-error" role="alert">
        {t(notice.key)}
      </p>
    );
  }
  const text = {
    resumed: 'pause.ended',
    undone: 'state.undone',
    links_ended: 'links.ended',
    reason_given: 'reason.thanks',
  } as const;
  return (
    <p className="pp-note" role="status">
      {t(text[notice.kind])}
    </p>
  );
}

type ToldElsewhere = Extract<
  PageNotice,
  {
    kind:
      | 'email_updated'
      | 'state_saved'
      | 'data_requested'
      | 'complained'
      | 'fresh_link_sent'
      | 'paused'
      | 'held'
      | 'resent';
  }
>;

/** Shown next to the form's own section instead. */
function isToldElsewhere(notice: PageNotice): notice is ToldElsewhere {
  return [
    'email_updated',
    'state_saved',
    'data_requested',
    'complained',
    'fresh_link_sent',
    'paused',
    'held',
    'resent',
  ].includes(notice.kind);
}

type Saved = Extract<PageNotice, { kind: 'saved' }>;

function SavedNotice({ notice, customer }: { notice: Saved; customer: ViewCustomer }) {
  const { view, t } = usePage();
  const action = actionOf(view);
  const { receipt, left, held, ignored } = notice;
  const saved = view.page.attrs.saved_preferences_msg || t('pref_template.saved');
  return (
    <>
      <div className="pp-note pp-link-choice pp-whole">
        <div role="status">
          {!held && <p>{saved}</p>}
          {ignored && <p>{t('result.ignored')}</p>}
          {/* The page's own note says that they have left everything. */}
          {(held || !hasLeft(customer)) && (
            <p className={held ? undefined : 'pp-quiet'}>
              <SaveResult customer={customer} held={held} />
            </p>
          )}
        </div>
        {receipt !== null && (
          <form method="post" action={action}>
            <FormIdentity intent="undo" customer={customer} />
            <input type="hidden" name={FIELD.receipt} value={receipt} />
            <button type="submit" className="pp-button">
              {t('state.undo')}
            </button>
          </form>
        )}
      </div>
      {receipt !== null && left && <LeaveReasons action={action} receipt={receipt} customer={customer} />}
    </>
  );
}

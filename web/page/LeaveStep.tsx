import { PageFrame } from './PageFrame.tsx';
import { usePage } from './page-context.tsx';
import { FIELD } from './view.ts';

/** The landing of a personal unsubscribe link: opening it changes nothing, its one button does. */
export function LeaveStep() {
  const { view, t } = usePage();
  const { leave, notice } = view;
  if (!leave) return null;
  const { list_name: list, masked_email: email, done } = leave;
  const title = done
    ? list
      ? t('leave.done_list', { list })
      : t('leave.done_all')
    : list
      ? t('state.leave_list', { list })
      : t('state.leave_all');

  return (
    <PageFrame title={title} subtitle={t('leave.address', { email })}>
      {notice?.kind === 'undone' && (
        <p className="pp-note" role="status">
          {t('state.undone')}
        </p>
      )}
      <div className="pp-actions">
        {(!done || leave.undo !== null) && (
          <form method="post" action={leave.action}>
            <input type="hidden" name={FIELD.intent} value={done ? 'undo' : 'leave'} />
            {leave.undo !== null && <input type="hidden" name={FIELD.undo} value={leave.undo} />}
            <input type="hidden" name={FIELD.saveId} value={view.save_id} />
            <button type="submit" className={done ? 'pp-button' : 'pp-button pp-primary'}>
              {t(done ? 'state.undo' : 'leave.button')}
            </button>
          </form>
        )}
        {leave.full_page_url && (
          <a className="pp-button pp-plain" href={leave.full_page_url}>
            {t('leave.full_page')}
          </a>
        )}
      </div>
    </PageFrame>
  );
}

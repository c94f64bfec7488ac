import type { ReactNode } from 'react';
import { LeaveReasons } from './LeaveReasons.tsx';
import { PageFrame } from './PageFrame.tsx';
import { PauseForms } from './Pause.tsx';
import { type Translate, usePage } from './page-context.tsx';
import type { TextKey } from './texts.ts';
import { dayText, FIELD, type LeaveView, type PageView } from './view.ts';
import { whoseOf } from './whose.ts';

/** The landing page of a personal unsubscribe link: opening it is read-only; its button unsubscribes. */
export function LeaveStep() {
  const { view, t } = usePage();
  const { leave } = view;
  if (!leave) return null;
  const news = newsOf(view.notice, t);
  return (
    <PageFrame
      title={titleOf(leave, view, t)}
      subtitle={whoseOf(view, leave.masked_email, t)}
      isLifted={news !== null}
    >
      {news}
      {leave.done === null && leave.list_deleted && <p>{t('leave.deleted_text')}</p>}
      <div className="pp-actions">
        {(leave.done === null || leave.receipt !== null) && <MainForm leave={leave} />}
        {leave.full_page_url && (
          <a className="pp-button pp-plain" href={leave.full_page_url}>
            {t('leave.full_page')}
          </a>
        )}
      </div>
      {leave.done === 'left' && leave.receipt !== null && (
        <LeaveReasons
          action={leave.action}
          receipt={leave.receipt}
          customer={null}
          isGiven={view.notice?.kind === 'reason_given'}
        />
      )}
      {leave.done === null && leave.offers_pause && (
        <PauseForms action={leave.action}>
          <input type="hidden" name={FIELD.intent} value="pause" />
        </PauseForms>
      )}
      {leave.done === null && (
        <form className="pp-stranger" method="post" action={leave.action}>
          <input type="hidden" name={FIELD.intent} value="wrong_recipient" />
          <p className="pp-hint">{t('stranger.text')}</p>
          <button type="submit" className="pp-button">
            {t('stranger.button')}
          </button>
        </form>
      )}
    </PageFrame>
  );
}

function titleOf(
  { done, list_name: list, list_deleted: isDeleted, paused_until: until }: LeaveView,
  view: PageView,
  t: Translate,
): string {
  if (done === 'paused' && until !== null) {
    return t('pause.until', { date: dayText(view.language, until) });
  }
  if (done === 'wrong_recipient') return t('stranger.done');
  if (done === 'left') return list ? t('leave.done_list', { list }) : t('leave.done_all');
  if (isDeleted) return t('leave.deleted');
  return list ? t('state.leave_list', { list }) : t('state.leave_all');
}

function newsOf(notice: PageView['notice'], t: Translate): ReactNode {
  if (notice?.kind === 'error') {
    return (
      <p className="pp-note pp-error" role="alert">
        {t(notice.key)}
      </p>
    );
  }
  if (notice?.kind === 'undone') {
    return (
      <p className="pp-note" role="status">
        {t('state.undone')}
      </p>
    );
  }
  return null;
}

function MainForm({ leave }: { leave: LeaveView }) {
  const { t } = usePage();
  const isUndo = leave.done !== null;
  return (
    <form method="post" action={leave.action}>
      <input type="hidden" name={FIELD.intent} value={isUndo ? 'undo' : 'leave'} />
      {!isUndo && leave.list_deleted && <input type="hidden" name={FIELD.leavesAll} value="1" />}
      {leave.receipt !== null && <input type="hidden" name={FIELD.receipt} value={leave.receipt} />}
      <button type="submit" className={isUndo ? 'pp-button' : 'pp-button pp-primary'}>
        {t(buttonKeyOf(leave))}
      </button>
    </form>
  );
}

function buttonKeyOf({ done, list_deleted: isDeleted }: LeaveView): TextKey {
  if (done !== null) return 'state.undo';
  return isDeleted ? 'state.leave_all' : 'leave.button';
}

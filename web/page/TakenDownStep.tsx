import { PageFrame } from './PageFrame.tsx';
import { usePage } from './page-context.tsx';
import { FIELD, inLanguage } from './view.ts';

/** Instead of every page of a site that the operator of the service took down. A personal link still unsubscribes. */
export function TakenDownStep() {
  const { view, t } = usePage();
  const { challenge } = view.query;
  return (
    <PageFrame title={t('taken_down.title')}>
      <p className="pp-lead">{t('taken_down.text')}</p>
      <p>{t(challenge === null ? 'taken_down.how' : 'taken_down.leave')}</p>
      {challenge !== null && (
        <form className="pp-actions" method="post" action={inLanguage(view, `/u/${challenge}`)}>
          <input type="hidden" name={FIELD.intent} value="leave" />
          <input type="hidden" name={FIELD.leavesAll} value="1" />
          <button type="submit" className="pp-button pp-primary">
            {t('state.leave_all')}
          </button>
        </form>
      )}
    </PageFrame>
  );
}

import { useEffect, useRef, useState } from 'react';
import type { SaveState } from './use-choices.ts';
import { useHydrated, usePage } from './page-context.tsx';
import { FIELD, type ViewCustomer } from './view.ts';

const SAVED_MESSAGE_MS = 3000;

type Props = {
  customer: ViewCustomer;
  formId: string;
  state: SaveState;
  isDirty: boolean;
  isAllOff: boolean;
  leavesAll: boolean;
  /** null: it is not offered. */
  onLeaveAll: (() => void) | null;
  onRetry: () => void;
  onUndo: (receipt: string) => void;
};

/** Always in view: the buttons to save and to unsubscribe from all, with the outcome. */
export function SaveBar({
  customer,
  formId,
  state,
  isDirty,
  isAllOff,
  leavesAll,
  onLeaveAll,
  onRetry,
  onUndo,
}: Props) {
  const { view, service, t, parts } = usePage();
  const bar = useRef<HTMLDivElement>(null);
  const fresh = useFresh(state);
  const saved = state.kind === 'saved' && !isDirty ? state : null;
  const failed = state.kind === 'failed' ? state.failure : null;
  const isSaving = state.kind === 'saving';
  // While a change awaits its email, Undo would seem to refer to it, rather than to what was saved at once.
  const canUndo = state.kind === 'saved' && (!state.held || state.left);
  const receipt = canUndo ? state.receipt : null;
  // Only a personal link may tell what happens to its person.
  const hasProgress =
    state.kind === 'saved' && !state.held && receipt !== null && customer.level === 'proven';
  const isUnsaved = isDirty && !failed && !isSaving;
  const isActive = isDirty || isSaving || failed !== null;
  // The server's HTML cannot know whether there is something to save.
  const isIdle = useHydrated() && !isActive;

  useEffect(() => {
    if (fresh || failed) service.show(bar.current);
  }, [fresh, failed, service]);

  return (
    <div ref={bar} className="pp-bar" data-active={isActive || undefined} data-idle={isIdle || undefined}>
      <div className="pp-bar-row">
        <div className="pp-bar-note" data-progress={hasProgress || undefined}>
          {failed && (
            <p className="pp-error" role="alert">
              {t(`save_error.${failed}`)}
            </p>
          )}
          {isUnsaved && !leavesAll && (
            <p>{t(isAllOff ? 'pref_template.all_off' : 'pref_template.unsaved')}</p>
          )}
          <p className={saved?.held && !fresh ? 'pp-saved' : 'pp-saved pp-tick'} role="status">
            {fresh
              ? view.page.attrs.saved_preferences_msg || t('pref_template.saved')
              : saved &&
                (parts ? (
                  <parts.SaveResult customer={customer} held={saved.held} />
                ) : (
                  t('pref_template.saved_short')
                ))}
          </p>
          {saved && parts && hasProgress && (
            <parts.SaveProgress key={saved.count} customer={customer} isShown={!fresh} />
          )}
          {saved && receipt !== null && (
            <>
              {/* Unlike a margin, it indents nothing where the button begins a line. */}
              <span>{'\u2002'}</span>
              <button type="button" className="pp-button pp-plain pp-undo" onClick={() => onUndo(receipt)}>
                {t('state.undo')}
              </button>
            </>
          )}
          <p role="status">
            {isUnsaved && leavesAll
              ? t('pref_template.leaves_all', { name: view.page.name })
              : state.kind === 'undone' && !isDirty && t('state.undone')}
          </p>
        </div>
        {onLeaveAll && (
          <button
            type="submit"
            form={formId}
            className="pp-button pp-plain pp-leave-all"
            // Without the script it saves at once; with it, every list is switched off, and saved with the rest.
            name={FIELD.instead}
            value="unsubscribe_all"
            onClick={(event) => {
              event.preventDefault();
              onLeaveAll();
            }}
          >
            {t('pref_template.unsubscribe_all')}
          </button>
        )}
        {failed && failed !== 'changed' && failed !== 'link_expired' ? (
          <button
            type="button"
            className="pp-button pp-primary"
            onClick={failed === 'expired' ? () => location.reload() : onRetry}
          >
            {t(failed === 'expired' ? 'save_error.reload' : 'pref_template.try_again')}
          </button>
        ) : (
          <button type="submit" form={formId} className="pp-button pp-primary" aria-busy={isSaving}>
            {t(isSaving ? 'pref_template.saving' : 'pref_template.save')}
          </button>
        )}
      </div>
    </div>
  );
}

/** True while the message about a save is shown. */
function useFresh(state: SaveState): boolean {
  const count = state.kind === 'saved' ? state.count : 0;
  const [seen, setSeen] = useState(0);
  useEffect(() => {
    if (count === 0) return;
    const timer = setTimeout(() => setSeen(count), SAVED_MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [count]);
  return count > seen;
}

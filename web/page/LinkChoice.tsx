import { useEffect, useRef, useState } from 'react';
import { FormIdentity } from './FormIdentity.tsx';
import { useHydrated, usePage, type Translate } from './page-context.tsx';
import { failureOf, type ChoiceSource, type Failure, type PageService } from './service.ts';
import type { TextKey } from './texts.ts';
import {
  FIELD,
  isShownOn,
  listOfLink,
  listText,
  type LinkState,
  type PageView,
  type ViewCustomer,
} from './view.ts';

type List = NonNullable<ReturnType<typeof listOfLink>>;
type Ask = { state: LinkState; list: List | null };

type Status =
  | { kind: 'asked' }
  | { kind: 'working' }
  | { kind: 'done'; canUndo: boolean }
  | { kind: 'undone' }
  | { kind: 'failed'; failure: Failure; retry: 'accept' | 'undo' };

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

function askOf(view: PageView): Ask | null {
  const { notice, query, page } = view;
  if (notice?.kind === 'state_saved') {
    return { state: notice.state, list: page.lists.find(({ id }) => id === notice.list_id) ?? null };
  }
  return query.state ? { state: query.state, list: listOfLink(page, query) } : null;
}

/** What a `state=` link asks for: done by itself once a person has seen it, or on one click; always with Undo. */
export function LinkChoice({ customer, onCustomer }: Props) {
  const { view } = usePage();
  const ask = askOf(view);
  const { notice } = view;
  if (notice?.kind === 'undone') return <UndoneNote />;
  if (!ask) return null;
  const initial: Status =
    notice?.kind === 'state_saved' ? { kind: 'done', canUndo: notice.undo } : { kind: 'asked' };
  return <LinkChoiceNote ask={ask} initial={initial} customer={customer} onCustomer={onCustomer} />;
}

function UndoneNote() {
  const { t } = usePage();
  return (
    <p className="pp-note" role="status">
      {t('state.undone')}
    </p>
  );
}

const opposite = (state: LinkState): LinkState => (state === 'subscribe' ? 'unsubscribe' : 'subscribe');

function apply(service: PageService, customer: ViewCustomer, ask: Ask, saveId: string, source: ChoiceSource) {
  const subscribed = ask.state === 'subscribe';
  return ask.list
    ? service.saveLists(customer, [{ notification_list_id: ask.list.id, subscribed }], { saveId, source })
    : service.setGlobal(customer, !subscribed, { saveId, source });
}

const isAlready = ({ state, list }: Ask, customer: ViewCustomer) =>
  (list ? isShownOn(list, customer) : !customer.global_unsubscribe) === (state === 'subscribe');

function LinkChoiceNote({ ask, initial, customer, onCustomer }: Props & { ask: Ask; initial: Status }) {
  const { view, service, t } = usePage();
  const hydrated = useHydrated();
  const [status, setStatus] = useState(initial);
  const saveIds = useRef<Partial<Record<LinkState, string>>>({});
  const isAutomatic = !view.page.attrs.confirm_links && initial.kind === 'asked';

  async function carryOut(wanted: Ask, source: ChoiceSource, done: Status) {
    const saveId = (saveIds.current[wanted.state] ??= service.newSaveId());
    setStatus({ kind: 'working' });
    try {
      onCustomer(await apply(service, customer, wanted, saveId, source));
      service.forgetLinkState();
      setStatus(done);
    } catch (error) {
      setStatus({
        kind: 'failed',
        failure: failureOf(error),
        retry: done.kind === 'undone' ? 'undo' : 'accept',
      });
    }
  }

  const accept = () => carryOut(ask, 'state_link', { kind: 'done', canUndo: !isAlready(ask, customer) });
  const undo = () => carryOut({ ...ask, state: opposite(ask.state) }, 'page', { kind: 'undone' });

  useEffect(() => {
    if (!isAutomatic) return;
    const leaving = new AbortController();
    service
      .seen(leaving.signal)
      .then(() => accept())
      .catch(() => {});
    return () => leaving.abort();
    // Once: the link is carried out a single time, whatever is drawn meanwhile.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  const isDone = status.kind === 'done';
  const isUndoing = isDone || (status.kind === 'failed' && status.retry === 'undo');
  const hasButton = isDone ? status.canUndo : status.kind !== 'undone';

  return (
    <form
      className="pp-note pp-link-choice"
      method="post"
      action={`/${view.custom_path}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (status.kind !== 'working') void (isUndoing ? undo() : accept());
      }}
    >
      <FormIdentity intent="state" customer={customer} />
      <input type="hidden" name={FIELD.state} value={isUndoing ? opposite(ask.state) : ask.state} />
      {ask.list && <input type="hidden" name={FIELD.list} value={ask.list.id} />}
      <p role="status">
        {(status.kind === 'asked' || status.kind === 'working') && askText(t, view, ask)}
        {isDone && doneText(t, view, ask)}
        {status.kind === 'undone' && t('state.undone')}
        {status.kind === 'failed' && t(`save_error.${status.failure}`)}
      </p>
      {hasButton && (
        <button
          type="submit"
          className={isDone ? 'pp-button' : 'pp-button pp-primary'}
          aria-busy={status.kind === 'working' || (hydrated && status.kind === 'asked' && isAutomatic)}
        >
          {t(buttonKey(status))}
        </button>
      )}
    </form>
  );
}

function buttonKey(status: Status): TextKey {
  if (status.kind === 'done') return 'state.undo';
  return status.kind === 'failed' ? 'pref_template.try_again' : 'state.confirm';
}

function askText(t: Translate, view: PageView, { state, list }: Ask): string {
  const verb = state === 'subscribe' ? 'join' : 'leave';
  return list
    ? t(`state.${verb}_list`, { list: listText(list, view.language).name })
    : t(`state.${verb}_all`);
}

function doneText(t: Translate, view: PageView, { state, list }: Ask): string {
  const verb = state === 'subscribe' ? 'joined' : 'left';
  return list
    ? t(`state.${verb}_list`, { list: listText(list, view.language).name })
    : t(`state.${verb}_all`);
}

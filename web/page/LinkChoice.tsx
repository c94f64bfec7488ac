import { useEffect, useRef, useState } from 'react';
import { FormIdentity } from './FormIdentity.tsx';
import { failureKeyOf } from './failure-keys.ts';
import { useHydrated, usePage, type Translate } from './page-context.tsx';
import { failureOf, type ChoiceSource, type Failure, type PageService, type Saved } from './service.ts';
import type { TextKey } from './texts.ts';
import {
  actionOf,
  FIELD,
  isHeld,
  isReceived,
  listOfLink,
  listText,
  mayOnlyLeave,
  type LinkState,
  type PageView,
  type ViewCustomer,
} from './view.ts';

type List = NonNullable<ReturnType<typeof listOfLink>>;
type Ask = { state: LinkState; list: List | null };

type Status =
  | { kind: 'asked' }
  | { kind: 'working' }
  /** `held`: it awaits confirmation by email. */
  | { kind: 'done'; receipt: string | null; held: boolean }
  | { kind: 'undone' }
  /** It changed nothing, and why. */
  | { kind: 'void'; reason: 'result.ignored' | 'state.superseded' }
  /** `undoing`: the receipt of a failed undo; null if the link itself failed. */
  | { kind: 'failed'; failure: Failure; undoing: string | null };

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

function askOf(view: PageView): Ask | null {
  const { notice, query, page } = view;
  if (notice?.kind === 'state_saved') {
    return { state: notice.state, list: page.lists.find(({ id }) => id === notice.list_id) ?? null };
  }
  return query.state ? { state: query.state, list: listOfLink(page, query) } : null;
}

/** Applies a `state=` link: automatically once a person has seen the page, or on a click; always with Undo. */
export function LinkChoice({ customer, onCustomer }: Props) {
  const { view, isLinkSettled } = usePage();
  const [wasSettled] = useState(isLinkSettled);
  const ask = askOf(view);
  const { notice } = view;
  if (!ask || wasSettled) return null;
  // An aged link cannot subscribe; the page says so.
  if (mayOnlyLeave(customer) && ask.state === 'subscribe') return null;
  const initial: Status =
    notice?.kind === 'state_saved'
      ? { kind: 'done', receipt: notice.receipt, held: notice.held }
      : { kind: 'asked' };
  return <LinkChoiceNote ask={ask} initial={initial} customer={customer} onCustomer={onCustomer} />;
}

function apply(service: PageService, customer: ViewCustomer, ask: Ask, saveId: string, source: ChoiceSource) {
  const subscribed = ask.state === 'subscribe';
  return ask.list
    ? service.saveLists(customer, [{ notification_list_id: ask.list.id, subscribed }], {
        saveId,
        source,
        leavesAll: false,
      })
    : service.setGlobal(customer, !subscribed, { saveId, source });
}

function LinkChoiceNote({ ask, initial, customer, onCustomer }: Props & { ask: Ask; initial: Status }) {
  const { view, t, other } = usePage();
  const hydrated = useHydrated();
  const { status, isAutomatic, accept, undo } = useLinkChoice({ ask, initial, customer, onCustomer });
  const isDone = status.kind === 'done';
  const receipt = receiptOf(status);
  const isOver = status.kind === 'undone' || status.kind === 'void' || isPast(status);
  const hasButton = isDone ? status.receipt !== null : !isOver;

  return (
    <div className={`pp-note pp-link-choice${status.kind === 'failed' ? ' pp-error' : ''}`}>
      <p role="status">
        <span>{statusText(t, view, ask, status)}</span>
        {other !== null && (
          <span className="pp-hint pp-whose">{t('leave.address', { email: customer.email })}</span>
        )}
      </p>
      {hasButton && (
        <form
          method="post"
          action={actionOf(view)}
          onSubmit={(event) => {
            event.preventDefault();
            if (status.kind !== 'working') void (receipt === null ? accept() : undo(receipt));
          }}
        >
          <FormIdentity intent={receipt === null ? 'state' : 'undo'} customer={customer} />
          {receipt === null ? (
            <>
              <input type="hidden" name={FIELD.state} value={ask.state} />
              {ask.list && <input type="hidden" name={FIELD.list} value={ask.list.id} />}
            </>
          ) : (
            <input type="hidden" name={FIELD.receipt} value={receipt} />
          )}
          <button
            type="submit"
            className={isDone ? 'pp-button' : 'pp-button pp-primary'}
            aria-busy={status.kind === 'working' || (hydrated && status.kind === 'asked' && isAutomatic)}
          >
            {t(buttonKey(status))}
          </button>
        </form>
      )}
    </div>
  );
}

/** Applies the link's change, once a person has seen the page or on a click, and undoes it. */
function useLinkChoice({ ask, initial, customer, onCustomer }: Props & { ask: Ask; initial: Status }) {
  const { view, service, settleLink, other } = usePage();
  const [status, setStatus] = useState(initial);
  const saveId = useRef<string | null>(null);
  const needsClick = view.page.attrs.confirm_links || other !== null;
  const isAutomatic = !needsClick && initial.kind === 'asked';

  async function accept() {
    saveId.current ??= service.newSaveId();
    setStatus({ kind: 'working' });
    try {
      const saved = await apply(service, customer, ask, saveId.current, 'state_link');
      onCustomer(saved.customer);
      service.forgetLinkState();
      settleLink();
      setStatus(statusAfter(ask, saved));
    } catch (error) {
      setStatus({ kind: 'failed', failure: failureOf(error), undoing: null });
    }
  }

  async function undo(receipt: string) {
    setStatus({ kind: 'working' });
    try {
      onCustomer(await service.undo(customer, receipt, service.newSaveId()));
      setStatus({ kind: 'undone' });
    } catch (error) {
      setStatus({ kind: 'failed', failure: failureOf(error), undoing: receipt });
    }
  }

  useEffect(() => {
    if (!isAutomatic) return;
    const leaving = new AbortController();
    service
      .seen(leaving.signal)
      .then(() => accept())
      .catch(() => {});
    return () => leaving.abort();
    // Apply the link once, however often this renders.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  return { status, isAutomatic, accept, undo };
}

/** What became of the link's change, which may await confirmation by email, or have come too late. */
function statusAfter({ state, list }: Ask, { customer: after, receipt, ignored }: Saved): Status {
  if (ignored) return { kind: 'void', reason: 'result.ignored' };
  const isOn = list ? isReceived(list, after) : !after.global_unsubscribe;
  if (state === 'unsubscribe' || isOn) return { kind: 'done', receipt, held: false };
  const isAwaited = list
    ? isHeld([{ notification_list_id: list.id, subscribed: true }], after)
    : after.pending.some(({ kind }) => kind !== 'email_change');
  return isAwaited ? { kind: 'done', receipt, held: true } : { kind: 'void', reason: 'state.superseded' };
}

/** The receipt that the button undoes; null if it applies the link. */
function receiptOf(status: Status): string | null {
  if (status.kind === 'done') return status.receipt;
  return status.kind === 'failed' ? status.undoing : null;
}

/** There was a later choice, so a retry is pointless. */
const isPast = (status: Status) => status.kind === 'failed' && status.failure === 'changed';

function buttonKey(status: Status): TextKey {
  if (status.kind === 'done') return 'state.undo';
  return status.kind === 'failed' ? 'pref_template.try_again' : 'state.confirm';
}

function statusText(t: Translate, view: PageView, ask: Ask, status: Status): string {
  if (status.kind === 'undone') return t('state.undone');
  if (status.kind === 'void') return t(status.reason);
  if (status.kind === 'failed') return t(failureKeyOf(status.failure));
  if (status.kind !== 'done') return askText(t, view, ask);
  return status.held ? t('pending.short') : doneText(t, view, ask);
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

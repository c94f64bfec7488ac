import { PageFrame } from './PageFrame.tsx';
import { usePage } from './page-context.tsx';
import type { TextKey } from './texts.ts';
import { actionOf, FIELD, inLanguage, type ConfirmView } from './view.ts';
import { whoseOf } from './whose.ts';

type Said = { title: TextKey; text: TextKey };

/** A download returns a file, so there is no page after it. */
function sayingOf(confirm: ConfirmView): Said {
  const { kind, done, refusal } = confirm;
  if (kind === 'restore') return restoreSaying(confirm);
  if (refusal) {
    const text = kind === 'email_change' ? 'email_change.taken' : (`email_undo.${refusal}` as const);
    return { title: 'link_void.title', text };
  }
  if (done && kind === 'data_erasure') return { title: 'data_erasure.done', text: 'data_erasure.after' };
  if (done && kind !== 'data_download') return { title: `${kind}.done`, text: 'confirm.close' };
  return { title: `${kind}.title`, text: `${kind}.text` };
}

function restoreSaying({ lists = [], done, refusal }: ConfirmView): Said {
  if (refusal) return { title: 'link_void.title', text: 'restore.changed' };
  const what = lists.length === 0 ? 'all' : 'list';
  if (done) return { title: `restore.done_${what}`, text: 'confirm.close' };
  return { title: `restore.title_${what}`, text: 'restore.text' };
}

/** The page behind a mailed link: opening it is read-only; its button makes the change. */
export function ConfirmStep() {
  const { view, t } = usePage();
  const { confirm } = view;
  if (!confirm) return null;
  const { kind, action, lists = [], email, done, refusal } = confirm;
  const { title, text } = sayingOf(confirm);

  return (
    <PageFrame
      title={t(title, { email, list: lists[0] ?? '', name: view.page.name })}
      subtitle={whoseOf(view, email, t)}
    >
      <p className="pp-lead" role={refusal ? 'alert' : undefined}>
        {t(text)}
      </p>
      {!done && !refusal && kind !== 'restore' && lists.length > 0 && (
        <ul className="pp-named">
          {lists.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      {done && text !== 'confirm.close' && <p className="pp-hint">{t('confirm.close')}</p>}
      {!done && !refusal && (
        <form method="post" action={inLanguage(view, action)}>
          <input type="hidden" name={FIELD.intent} value="confirm" />
          <button type="submit" className="pp-button pp-primary">
            {t(`${kind}.button`)}
          </button>
        </form>
      )}
      {kind === 'restore' && refusal && view.custom_path !== '' && (
        <div className="pp-actions">
          <a className="pp-button pp-plain" href={actionOf(view)}>
            {t('leave.full_page')}
          </a>
        </div>
      )}
    </PageFrame>
  );
}

import { OuterLink, PageFrame } from './PageFrame.tsx';
import { useAddressQuery, usePage } from './page-context.tsx';
import { offeredLanguages } from './view.ts';

export type MessageKind = 'link-sent' | 'link-void' | 'not-found' | 'rate-limited' | 'unavailable';

/** As in the keys of its texts. */
type TextName<Kind> = Kind extends `${infer Before}-${infer After}` ? `${Before}_${After}` : Kind;

/** A page with only a message. */
export function MessageStep({ kind, focusHeading = false }: { kind: MessageKind; focusHeading?: boolean }) {
  const { view, t } = usePage();
  const name = kind.replace('-', '_') as TextName<MessageKind>;
  const canRetry = kind === 'rate-limited' || kind === 'unavailable';
  return (
    <PageFrame title={t(`${name}.title`)} subtitle={view.page.name} focusHeading={focusHeading}>
      {kind === 'not-found' && view.page.name !== '' ? (
        <NotFoundHelp />
      ) : (
        <p className="pp-lead">{t(`${name}.text`)}</p>
      )}
      {canRetry && <RetryForm />}
    </PageFrame>
  );
}

/** On a site's host: the possible reasons, without saying which one holds, and what to do. */
function NotFoundHelp() {
  const { view, t } = usePage();
  const contact = view.page.operator?.imprint_url ?? '';
  return (
    <>
      <p className="pp-lead">{t('not_found.why')}</p>
      <ul className="pp-why">
        <li>{t('not_found.old_link')}</li>
        <li>{t('not_found.unknown_email')}</li>
      </ul>
      <p>{t('not_found.what_to_do')}</p>
      {contact !== '' && (
        <p>
          <OuterLink to={contact}>{t('not_found.contact')}</OuterLink>
        </p>
      )}
    </>
  );
}

/** Opens the same page again, for the same person. */
function RetryForm() {
  const { view, t } = usePage();
  const query = Object.entries(useAddressQuery()).filter(([, value]) => value !== null);
  return (
    <form method="get" action={view.custom_path ? `/${view.custom_path}` : undefined}>
      {query.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value ?? ''} />
      ))}
      {offeredLanguages(view.page).length > 1 && <input type="hidden" name="lang" value={view.language} />}
      <button type="submit" className="pp-button">
        {t('pref_template.try_again')}
      </button>
    </form>
  );
}

export function Loader() {
  const { t } = usePage();
  return (
    <div className="pp-loader pp-panel" role="status">
      <span className="pp-spinner" aria-hidden="true" />
      <span>{t('pref_template.loading')}</span>
    </div>
  );
}

import { usePage } from './page-context.tsx';

/** Some of what the page showed is no longer offered, so it was left out of the save. */
export function IgnoredNote() {
  const { t } = usePage();
  return (
    <p className="pp-note" role="status">
      {t('result.ignored')}
    </p>
  );
}

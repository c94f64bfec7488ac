import { Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { LinkButton } from '#web/ui/LinkButton.tsx';

/** To where many changes by a tool, or by a repair, can be undone at once. */
export function BulkChangesLink() {
  const { t } = useTranslation('shell');
  return (
    <LinkButton to="/bulk-changes" icon={<Undo2 />}>
      {t('titles.bulk_changes')}
    </LinkButton>
  );
}

import { Link2, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { moveFocusToNextFilter } from './filter-focus.ts';
import { useCopyViewLink } from './use-copy-view-link.ts';

/** Beside the filters of a listing, once one is set: clears them, or copies a link to what they show. */
export function FilterActions({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation('ui');
  const copy = useCopyViewLink();
  return (
    <div ref={moveFocusToNextFilter} className="col-span-2 flex flex-wrap">
      <Button variant="ghost" icon={<X />} onPress={onClear}>
        {t('clear_filters')}
      </Button>
      <Button variant="ghost" icon={<Link2 />} onPress={() => void copy()}>
        {t('copy_view')}
      </Button>
    </div>
  );
}

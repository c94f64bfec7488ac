import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { Menu, MenuItem } from '#web/ui/Menu.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type CustomerSearch, isNarrowed } from './customer-filter.logic.ts';
import { EXPORTS, type ExportKind, useExport } from './downloads.api.ts';

/** Customers who match what the screen shows, or all of them. */
export function ExportMenu({ search }: { search: CustomerSearch }) {
  const { t } = useTranslation('customers');
  const errorText = useErrorText();
  const exporting = useExport();

  function start(kind: ExportKind, wanted: CustomerSearch = {}) {
    exporting.mutate(
      { kind, search: wanted },
      {
        onSuccess: () => toast(t('export.done', { file: EXPORTS[kind] })),
        onError: (error) => toast(`${t('export.failed')} ${errorText(error)}`, { tone: 'error' }),
      },
    );
  }

  return (
    <>
      <Menu
        label={t('export.button')}
        trigger={
          <Button icon={<Download />} isPending={exporting.isPending}>
            {t('export.button')}
          </Button>
        }
      >
        {isNarrowed(search) && (
          <MenuItem onAction={() => start('customers', search)}>{t('export.matching')}</MenuItem>
        )}
        <MenuItem onAction={() => start('customers')}>{t('export.customers')}</MenuItem>
        <MenuItem onAction={() => start('evidence')}>{t('export.evidence')}</MenuItem>
      </Menu>
      <span role="status" className="self-center text-[13px] text-ink-muted empty:sr-only">
        {exporting.isPending ? t('export.running') : ''}
      </span>
    </>
  );
}

import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { toast } from '#web/ui/toast.tsx';
import { EXPORT_FILE, useAccountExport } from '../account.api.ts';
import type { SectionProps } from '../section-props.ts';
import { DeleteAccountDialog } from './DeleteAccountDialog.tsx';

export function YourDataSection({ account }: SectionProps) {
  return (
    <div className="flex flex-col gap-6">
      <ExportCard account={account} />
      <DeleteCard account={account} />
    </div>
  );
}

function ExportCard({ account: { id } }: SectionProps) {
  const { t } = useTranslation('settings');
  const errorText = useErrorText();
  const exporting = useAccountExport(id);
  return (
    <Card title={t('export.title')} description={t('export.description')}>
      <div className="flex flex-col items-start gap-3">
        <Button
          icon={<Download />}
          isPending={exporting.isPending}
          onPress={() =>
            exporting.mutate(undefined, {
              onSuccess: () => toast(t('export.done', { file: EXPORT_FILE })),
              onError: (error) => toast(errorText(error), { tone: 'error' }),
            })
          }
        >
          {t('export.button')}
        </Button>
        <p className="text-[13px] text-pretty text-ink-muted">
          {t('export.customers')} <TextLink to="/customers">{t('export.to_customers')}</TextLink>
        </p>
      </div>
    </Card>
  );
}

function DeleteCard({ account }: SectionProps) {
  const { t } = useTranslation('settings');
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Card title={t('deletion.title')} description={t('deletion.description')}>
      <Button onPress={() => setIsAsking(true)}>{t('deletion.button')}</Button>
      {isAsking && <DeleteAccountDialog account={account} onClose={() => setIsAsking(false)} />}
    </Card>
  );
}

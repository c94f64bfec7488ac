import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import type { IntegrationProps } from './integration-props.ts';

/** What the API and a tool's emails call things by. */
export function IdentifiersCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const rows = [
    { name: t('ids.integration'), value: integration.id },
    { name: t('ids.provider'), value: integration.provider },
    { name: t('ids.email_tag'), value: connector.email_merge_tag },
  ];
  return (
    <Card title={t('ids.title')} description={t('ids.text')}>
      <div className="flex flex-col gap-4">
        {rows.map(({ name, value }) => (
          <CopyRow key={name} label={name} value={value} copy={t('ids.copy', { name })} />
        ))}
      </div>
    </Card>
  );
}

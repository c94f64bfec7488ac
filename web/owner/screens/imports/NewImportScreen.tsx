import { useNavigate } from '@tanstack/react-router';
import { FileSpreadsheet, Plug } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportSource } from '#contract/imports.ts';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { usePermission } from '../../account/permissions.ts';
import { BackLink } from '../../components/BackLink.tsx';
import { NeedsRole } from '../../components/NeedsRole.tsx';
import { useSite } from '../../site/current-site.tsx';
import { FileStep } from './FileStep.tsx';
import { Steps } from './Steps.tsx';
import { ToolStep } from './ToolStep.tsx';

/** @param integrationId the tool to import from; null: not chosen yet */
export function NewImportScreen({ integrationId }: { integrationId: string | null }) {
  const { t } = useTranslation('imports');
  const navigate = useNavigate();
  const { site_id } = useSite();
  const canImport = usePermission('editor');
  const [source, setSource] = useState<ImportSource>(integrationId === null ? 'csv' : 'tool');
  const open = (id: string) => void navigate({ to: '/imports/$id', params: { id }, replace: true });
  return (
    <>
      <PageHeader
        title={t('new')}
        description={t('new_help')}
        back={<BackLink to="/imports">{t('title')}</BackLink>}
      />
      <NeedsRole needs="editor" action={<LinkButton to="/imports">{t('title')}</LinkButton>} />
      <div className="flex max-w-3xl flex-col gap-6" hidden={!canImport}>
        <Steps source={source} current="choose" />
        <RadioCards
          label={t('source.label')}
          columns={2}
          options={[
            {
              value: 'csv',
              label: t('source.csv'),
              description: t('source.csv_help'),
              icon: <FileSpreadsheet size={20} aria-hidden />,
            },
            {
              value: 'tool',
              label: t('source.tool'),
              description: t('source.tool_help'),
              icon: <Plug size={20} aria-hidden />,
            },
          ]}
          value={source}
          onChange={setSource}
        />
        {source === 'csv' ? (
          <FileStep key={site_id} onDone={open} />
        ) : (
          <ToolStep key={site_id} integrationId={integrationId} onDone={open} />
        )}
      </div>
    </>
  );
}

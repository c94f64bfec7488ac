import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KeptCounts, ToolLinks } from '#contract/tool-links.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { useChangeIntegration, useToolLinks } from './integrations.api.ts';
import { LinkFieldDialog } from './LinkFieldDialog.tsx';

/** Where the tool keeps each customer's personal link. */
export function LinkFieldCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const query = useToolLinks(integration.id);
  return (
    <Card title={t('links.field_title')}>
      {query.isPending && <Skeleton shape="text" />}
      {query.isLoadingError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && <LinkField id={integration.id} tool={connector.name} links={query.data} />}
    </Card>
  );
}

interface LinkFieldProps {
  id: string;
  tool: string;
  links: ToolLinks;
}

/** The tool's field for personal links. */
function LinkField({ id, tool, links }: LinkFieldProps) {
  const { t } = useTranslation('integrations');
  const change = useChangeIntegration(id);
  const canChange = usePermission('admin');
  const [open, setOpen] = useState<'choose' | 'end' | null>(null);
  const { link_field: field, links_kept: kept, trouble, refusal } = links;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="font-medium wrap-anywhere">
            {field === null ? t('links.no_field') : t('links.field', { field: field.name })}
          </h3>
          <p className="text-[13px] text-pretty text-ink-muted">{t('links.field_help', { tool })}</p>
        </div>
        {canChange && (
          <div className="flex flex-wrap gap-2">
            {field !== null && (
              <Button size="sm" variant="ghost" onPress={() => setOpen('end')}>
                {t('links.end')}
              </Button>
            )}
            <Button size="sm" onPress={() => setOpen('choose')}>
              {field === null ? t('links.choose') : t('links.choose_another')}
            </Button>
          </div>
        )}
      </div>
      {[trouble, refusal].map((words) =>
        words === null ? null : (
          <p
            key={words}
            lang="en"
            className="rounded-lg bg-warning-soft px-3 py-2 text-[13px] wrap-anywhere text-warning"
          >
            {words}
          </p>
        ),
      )}
      {kept && <Kept kept={kept} />}
      {open === 'choose' && (
        <LinkFieldDialog id={id} tool={tool} current={field} onClose={() => setOpen(null)} />
      )}
      <ConfirmDialog
        isOpen={open === 'end'}
        onOpenChange={() => setOpen(null)}
        title={t('links.end_title')}
        description={t('links.end_text', { tool })}
        confirmLabel={t('links.end')}
        onConfirm={() => change.mutateAsync({ link_field: null })}
      />
    </div>
  );
}

const COUNTS = ['customers', 'kept', 'waiting', 'unknown', 'failed'] as const;

function Kept({ kept }: { kept: KeptCounts }) {
  const { t } = useTranslation('integrations');
  const format = numberFormat(useLanguage());
  return (
    <Facts>
      {COUNTS.filter((count) => count === 'customers' || count === 'kept' || kept[count] > 0).map((count) => (
        <Fact key={count} name={t(`links.kept.${count}`)}>
          <span className="tabular-nums">{format.format(kept[count])}</span>
        </Fact>
      ))}
    </Facts>
  );
}

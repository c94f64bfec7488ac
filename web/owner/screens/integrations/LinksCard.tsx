import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KeptCounts, PageLinks, ToolLinks } from '#contract/tool-links.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { useChangeIntegration, useToolLinks } from './integrations.api.ts';
import { LinkFieldDialog } from './LinkFieldDialog.tsx';

/** The links to put into the tool's mails. */
export function LinksCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const tool = connector.name;
  const query = useToolLinks(integration.id);
  return (
    <Card title={t('links.title', { tool })} description={t('links.text')}>
      {query.isPending && <Skeleton shape="text" />}
      {query.isLoadingError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && <Links id={integration.id} tool={tool} links={query.data} />}
    </Card>
  );
}

interface LinksProps {
  id: string;
  tool: string;
  links: ToolLinks;
}

function Links({ id, tool, links }: LinksProps) {
  const { t } = useTranslation('integrations');
  return (
    <div className="flex flex-col gap-6">
      <LinkField id={id} tool={tool} links={links} />
      {links.pages.length === 0 && <p className="text-ink-muted">{t('links.no_pages')}</p>}
      {links.pages.map((page) => (
        <PageSnippets key={page.page_id} page={page} />
      ))}
      {links.leave !== null && (
        <CopyRow label={t('links.leave')} value={links.leave} copy={t('links.copy_leave')} />
      )}
      <p lang="en" className="text-[13px] text-pretty text-ink-muted">
        {links.address_note}
      </p>
    </div>
  );
}

function PageSnippets({ page }: { page: PageLinks }) {
  const { t } = useTranslation('integrations');
  const { name, by_address, by_challenge, no_address_reason, snippet_html, snippet_text } = page;
  return (
    <section aria-label={name} className="flex flex-col gap-3">
      <h3 className="font-medium wrap-anywhere">{name}</h3>
      {by_address === null ? (
        <p lang="en" className="text-[13px] text-pretty text-ink-muted">
          {no_address_reason}
        </p>
      ) : (
        <CopyRow label={t('links.by_address')} value={by_address} copy={t('links.copy_address', { name })} />
      )}
      {by_challenge !== null && (
        <CopyRow
          label={t('links.by_challenge')}
          value={by_challenge}
          copy={t('links.copy_challenge', { name })}
        />
      )}
      {snippet_html !== null && snippet_text !== null && (
        <details className="group">
          <summary className="cursor-pointer rounded-sm text-accent pointer-coarse:py-3">
            {t('links.snippets')}
          </summary>
          <div className="mt-3 flex flex-col gap-3">
            <CopyRow label="HTML" value={snippet_html} copy={t('links.copy_html', { name })} />
            <CopyRow label={t('links.plain')} value={snippet_text} copy={t('links.copy_text', { name })} />
          </div>
        </details>
      )}
    </section>
  );
}

/** The tool's field for personal links. */
function LinkField({ id, tool, links }: LinksProps) {
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
  const format = new Intl.NumberFormat(useLanguage());
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

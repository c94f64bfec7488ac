import { useTranslation } from 'react-i18next';
import type { PageLinks, ToolLinks } from '#contract/tool-links.ts';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { useToolLinks } from './integrations.api.ts';

/** The links to put into the tool's mails. */
export function LinksCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const tool = connector.name;
  const query = useToolLinks(integration.id);
  return (
    <Card title={t('links.title', { tool })} description={t('links.text', { tool })}>
      {query.isPending && <Skeleton shape="text" />}
      {query.isLoadingError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && <Links id={integration.id} links={query.data} />}
    </Card>
  );
}

function Links({ id, links }: { id: string; links: ToolLinks }) {
  const { t } = useTranslation('integrations');
  return (
    <div className="flex flex-col gap-6">
      {links.link_field === null && <NoField id={id} />}
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
      <p>
        <TextLink to="/email-check">{t('links.check_email')}</TextLink>
      </p>
    </div>
  );
}

/** Links by email only, until a field holds the personal ones. */
function NoField({ id }: { id: string }) {
  const { t } = useTranslation('integrations');
  const canChoose = usePermission('admin');
  return (
    <Notice>
      {t('links.only_by_email')}{' '}
      {canChoose && (
        <TextLink to="/integrations/$id" params={{ id }} search={{ tab: 'technical' }}>
          {t('links.choose')}
        </TextLink>
      )}
    </Notice>
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

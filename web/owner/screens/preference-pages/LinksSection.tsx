import { useQueries, useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useCopy } from '#web/ui/use-copy.ts';
import { usePermission } from '../../account/permissions.ts';
import { queryClient } from '../../api/query-client.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { connectorsQuery, integrationsQuery, toolLinksQuery } from '../../queries/integration-queries.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { type Audience, LinkPicker } from './LinkPicker.tsx';
import { OwnLink } from './OwnLink.tsx';
import {
  linksForEverybody,
  linksForTag,
  linksForTool,
  type LinkPurpose,
  mintingSample,
} from './page-links.ts';

interface LinksSectionProps {
  site: SiteParams;
  /** The published page, which links lead to. */
  page: PreferencePage | undefined;
}

/** The links for mails and websites, each for the tool that sends them. */
export const LinksSection = memo(function Links({ site, page }: LinksSectionProps) {
  const { t } = useTranslation('editor');
  return (
    <Card title={t('links.title')} description={t('links.text')}>
      {page ? (
        <div className="flex flex-col gap-5">
          <PageLinks site={site} page={page} />
          <OwnLink site={site} pageId={page.id} />
          <p>
            <TextLink to="/email-check">{t('links.check_email')}</TextLink>
          </p>
        </div>
      ) : (
        <p className="text-ink-muted">{t('links.not_saved')}</p>
      )}
    </Card>
  );
});

interface PageProps {
  site: SiteParams;
  page: PreferencePage;
}

function PageLinks(props: PageProps) {
  const integrations = useQuery(integrationsQuery(props.site));
  const connectors = useQuery(connectorsQuery);
  const failed = [integrations, connectors].find((query) => query.isLoadingError);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!integrations.data || !connectors.data) return <Skeleton shape="form" count={1} />;
  return <LinksFor {...props} tools={integrations.data} connectors={connectors.data} />;
}

interface LinksForProps extends PageProps {
  tools: readonly Integration[];
  connectors: readonly ConnectorInfo[];
}

function LinksFor({ site, page, tools, connectors }: LinksForProps) {
  // Loaded ahead: some browsers copy nothing once a click has had to wait.
  useQueries({ queries: tools.map(({ id }) => toolLinksQuery(site, id)) });
  const [purpose, setPurpose] = useState<LinkPurpose>({ what: 'open', listId: page.lists[0]?.id ?? '' });
  const [chosen, setChosen] = useState<Audience | null>(null);
  const copyFor = useCopyFor({ site, page }, purpose);
  return (
    <>
      <LinkPicker
        lists={page.lists}
        purpose={purpose}
        onPurpose={setPurpose}
        tools={tools}
        others={connectors.filter(({ id }) => !tools.some(({ provider }) => provider === id))}
        onCopy={(audience) => {
          setChosen(audience);
          void copyFor(audience);
        }}
      />
      {chosen && <ChosenLink {...{ site, page, purpose }} audience={chosen} />}
    </>
  );
}

/** Copies what an audience gets, and says what that was. */
function useCopyFor({ site, page }: PageProps, purpose: LinkPurpose) {
  const { t } = useTranslation('editor');
  const copy = useCopy();

  async function textFor(audience: Audience): Promise<string | null> {
    switch (audience.kind) {
      case 'tool': {
        const links = await queryClient.ensureQueryData(toolLinksQuery(site, audience.tool.id));
        return linksForTool(page, links)(purpose);
      }
      case 'other':
        return linksForTag(page, audience.tool.email_merge_tag)(purpose);
      case 'everybody':
        return linksForEverybody(page)(purpose);
      case 'developers':
        return sampleFor(site, page);
    }
  }

  return async (audience: Audience) => {
    // What could not be loaded is told where the link would be.
    const text = await textFor(audience).catch(() => null);
    if (text === null || !(await copy(text))) return;
    const what = t(`links.${purpose.what}`, { name: listName(page, purpose) });
    if (audience.kind === 'developers') toast(t('links.copied_call'));
    else if (audience.kind === 'everybody') toast(t('links.copied_plain', { what }));
    else toast(t('links.copied', { tool: audience.tool.name, what }));
  };
}

function listName({ lists }: PreferencePage, { listId }: LinkPurpose): string {
  return lists.find(({ id }) => id === listId)?.name ?? '';
}

function sampleFor({ organization_id, site_id }: SiteParams, { custom_path }: PreferencePage): string {
  return mintingSample({
    appUrl: window.location.origin,
    organizationId: organization_id,
    siteId: site_id,
    customPath: custom_path,
  });
}

interface ChosenProps extends PageProps {
  purpose: LinkPurpose;
}

function ChosenLink({ audience, ...props }: ChosenProps & { audience: Audience }) {
  switch (audience.kind) {
    case 'tool':
      return <ToolLink {...props} tool={audience.tool} />;
    case 'other':
      return <OtherLink {...props} tool={audience.tool} />;
    case 'everybody':
      return <PlainLink {...props} />;
    case 'developers':
      return <Developers {...props} />;
  }
}

function ToolLink({ site, page, purpose, tool }: ChosenProps & { tool: Integration }) {
  const { t } = useTranslation('editor');
  const canChooseField = usePermission('admin');
  const query = useQuery(toolLinksQuery(site, tool.id));
  if (query.isPending) return <Skeleton shape="text" />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const url = linksForTool(page, query.data)(purpose);
  if (url !== null) {
    return (
      <LinkRow
        {...{ page, purpose, url }}
        audience={tool.name}
        note={t('links.address_note', { tool: tool.name })}
      />
    );
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-pretty">{t('links.needs_field', { tool: tool.name })}</p>
      {canChooseField && (
        <LinkButton size="sm" to="/integrations/$id" params={{ id: tool.id }} search={{ tab: 'technical' }}>
          {t('links.field', { tool: tool.name })}
        </LinkButton>
      )}
    </div>
  );
}

function OtherLink({ page, purpose, tool }: ChosenProps & { tool: ConnectorInfo }) {
  const { t } = useTranslation('editor');
  const url = linksForTag(page, tool.email_merge_tag)(purpose);
  if (url !== null) {
    return (
      <LinkRow
        {...{ page, purpose, url }}
        audience={tool.name}
        note={t('links.unconnected', { tool: tool.name })}
      />
    );
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-pretty">{t('links.needs_tool', { tool: tool.name })}</p>
      <LinkButton size="sm" to="/integrations">
        {t('links.connect')}
      </LinkButton>
    </div>
  );
}

function PlainLink({ page, purpose }: ChosenProps) {
  const { t } = useTranslation('editor');
  const url = linksForEverybody(page)(purpose);
  const note = t(page.attrs.enhanced_security ? 'links.everybody_proof' : 'links.everybody_note');
  if (url === null) return <p className="text-pretty">{note}</p>;
  return <LinkRow {...{ page, purpose, url, note }} audience={t('links.everybody')} />;
}

interface LinkRowProps {
  page: PreferencePage;
  purpose: LinkPurpose;
  url: string;
  audience: string;
  note: string;
}

/** The link as it stands in the email. */
function LinkRow({ page, purpose, url, audience, note }: LinkRowProps) {
  const { t } = useTranslation('editor');
  const what = t(`links.${purpose.what}`, { name: listName(page, purpose) });
  return (
    <div className="flex flex-col gap-3">
      <CopyRow label={`${audience}: ${what}`} value={url} copy={t('links.copy', { what })} />
      <p className="text-[13px] text-pretty text-ink-muted">{note}</p>
      {url.includes('state=') && (
        <p className="text-[13px] text-pretty text-ink-muted">{t('links.state_note')}</p>
      )}
    </div>
  );
}

function Developers({ site, page }: ChosenProps) {
  const { t } = useTranslation('editor');
  return (
    <div className="flex flex-col gap-3">
      <p className="text-pretty">{t('links.developers_text')}</p>
      <CopyRow value={sampleFor(site, page)} copy={t('links.copy', { what: t('links.developers') })} isCode />
      <p className="text-[13px] text-pretty text-ink-muted">{t('links.developers_answer')}</p>
    </div>
  );
}

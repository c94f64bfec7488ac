import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Integration } from '#contract/integrations.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import { OwnLink } from './OwnLink.tsx';
import { linksForEverybody, linksForTool, mintingSample, type PageLink } from './page-links.ts';
import { integrationsOfSiteQuery, toolLinksQuery } from './pages.api.ts';

interface LinksSectionProps {
  site: SiteParams;
  /** The published page, which links lead to. */
  page: PreferencePage | undefined;
}

const EVERYBODY = 'everybody';
const DEVELOPERS = 'developers';

/** The links for mails and websites, by audience. */
export const LinksSection = memo(function Links({ site, page }: LinksSectionProps) {
  const { t } = useTranslation('editor');
  const [kind, setKind] = useState(EVERYBODY);
  const tools = useQuery(integrationsOfSiteQuery(site)).data ?? [];
  const tool = tools.find(({ id }) => id === kind);
  return (
    <Card title={t('links.title')} description={t('links.text')}>
      {page ? (
        <div className="flex flex-col gap-5">
          <SelectField
            label={t('links.kind')}
            description={tools.length === 0 ? t('links.no_tools') : undefined}
            options={[
              { value: EVERYBODY, label: t('links.everybody') },
              ...tools.map(({ id, name }) => ({ value: id, label: name })),
              { value: DEVELOPERS, label: t('links.developers') },
            ]}
            value={tool || kind === DEVELOPERS ? kind : EVERYBODY}
            onChange={setKind}
          />
          {tool && <ToolRows key={tool.id} {...{ site, page, tool }} />}
          {kind === DEVELOPERS && <Developers site={site} page={page} />}
          {!tool && kind !== DEVELOPERS && <Everybody page={page} />}
          <OwnLink site={site} pageId={page.id} />
        </div>
      ) : (
        <p className="text-ink-muted">{t('links.not_saved')}</p>
      )}
    </Card>
  );
});

function Everybody({ page }: { page: PreferencePage }) {
  const { t } = useTranslation('editor');
  const links = linksForEverybody(page);
  const asksForProof = page.attrs.enhanced_security;
  return (
    <LinkRows
      links={asksForProof ? links.slice(0, 1) : links}
      note={t(asksForProof ? 'links.everybody_proof' : 'links.everybody_note')}
    />
  );
}

interface ToolRowsProps {
  site: SiteParams;
  page: PreferencePage;
  tool: Integration;
}

function ToolRows({ site, page, tool }: ToolRowsProps) {
  const { t } = useTranslation('editor');
  const query = useQuery(toolLinksQuery(site, tool.id));
  if (query.isPending) return <Skeleton shape="text" />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const links = linksForTool(page, query.data);
  if (links !== null) return <LinkRows links={links} note={query.data.address_note} noteLanguage="en" />;
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-pretty">{t('links.needs_field', { tool: tool.name })}</p>
      <LinkButton size="sm" to="/integrations/$id" params={{ id: tool.id }}>
        {t('links.field', { tool: tool.name })}
      </LinkButton>
    </div>
  );
}

interface LinkRowsProps {
  links: readonly PageLink[];
  note: string;
  noteLanguage?: string;
}

function LinkRows({ links, note, noteLanguage }: LinkRowsProps) {
  const { t } = useTranslation('editor');
  const label = ({ what, name = '' }: PageLink) => t(`links.${what}`, { name });
  const hasStates = links.some(({ url }) => url.includes('state='));
  return (
    <div className="flex flex-col gap-3">
      {links.map((link) => (
        <CopyRow
          key={link.url}
          label={label(link)}
          value={link.url}
          copy={t('links.copy', { what: label(link) })}
        />
      ))}
      <p lang={noteLanguage} className="text-[13px] text-pretty text-ink-muted">
        {note}
      </p>
      {hasStates && <p className="text-[13px] text-pretty text-ink-muted">{t('links.state_note')}</p>}
    </div>
  );
}

function Developers({ site, page }: { site: SiteParams; page: PreferencePage }) {
  const { t } = useTranslation('editor');
  const sample = mintingSample({
    appUrl: window.location.origin,
    organizationId: site.organization_id,
    siteId: site.site_id,
    customPath: page.custom_path,
  });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-pretty">{t('links.developers_text')}</p>
      <CopyRow value={sample} copy={t('links.copy', { what: t('links.developers') })} isCode />
      <p className="text-[13px] text-pretty text-ink-muted">{t('links.developers_answer')}</p>
    </div>
  );
}

import { Copy } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { PageLinks, ToolLinks } from '#contract/tool-links.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useCopy } from '#web/ui/use-copy.ts';
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
      {query.data && <Links id={integration.id} tool={tool} links={query.data} />}
    </Card>
  );
}

function Links({ id, tool, links }: { id: string; tool: string; links: ToolLinks }) {
  const { t } = useTranslation('integrations');
  return (
    <div className="flex flex-col gap-6">
      {links.link_field === null && <NoField id={id} />}
      {links.pages.length === 0 && <p className="text-ink-muted">{t('links.no_pages')}</p>}
      {links.pages.some((page) => page.by_address !== null && page.by_challenge !== null) && (
        <p className="text-pretty text-ink-muted">{t('links.which')}</p>
      )}
      {(links.pages.length > 0 || links.leave !== null) && (
        <ul className="divide-y divide-line border-y border-line">
          {links.pages.map((page) => (
            <PageRow key={page.page_id} page={page} />
          ))}
          {links.leave !== null && <LeaveRow link={links.leave} />}
        </ul>
      )}
      <p className="text-[13px] text-pretty text-ink-muted">{t('links.address_note', { tool })}</p>
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

function PageRow({ page }: { page: PageLinks }) {
  const { t } = useTranslation('integrations');
  const nameId = useId();
  const { name, by_address, by_challenge, snippet_html, snippet_text } = page;
  return (
    <Row
      {...{ name, nameId }}
      buttons={
        <>
          {by_challenge !== null && (
            <CopyLink link={by_challenge} of={nameId}>
              {t('links.copy_personal')}
            </CopyLink>
          )}
          {by_address !== null && (
            <CopyLink link={by_address} of={nameId}>
              {t('links.copy_by_email')}
            </CopyLink>
          )}
        </>
      }
    >
      {by_address === null && (
        <p className="text-[13px] text-pretty text-ink-muted">{t('links.needs_field')}</p>
      )}
      {snippet_html !== null && snippet_text !== null && (
        <Details summary={t('links.details')}>
          {by_challenge !== null && (
            <CopyRow
              label={t('links.by_challenge')}
              value={by_challenge}
              copy={t('links.copy_challenge', { name })}
            />
          )}
          {by_address !== null && (
            <CopyRow
              label={t('links.by_address')}
              value={by_address}
              copy={t('links.copy_address', { name })}
            />
          )}
          <CopyRow label={t('links.html')} value={snippet_html} copy={t('links.copy_html', { name })} />
          <CopyRow label={t('links.plain')} value={snippet_text} copy={t('links.copy_text', { name })} />
        </Details>
      )}
    </Row>
  );
}

function LeaveRow({ link }: { link: string }) {
  const { t } = useTranslation('integrations');
  const nameId = useId();
  return (
    <Row
      {...{ nameId }}
      name={t('links.leave')}
      buttons={
        <CopyLink link={link} of={nameId}>
          {t('links.copy')}
        </CopyLink>
      }
    >
      <Details summary={t('links.detail')}>
        <CopyRow value={link} copy={t('links.copy_leave')} />
      </Details>
    </Row>
  );
}

interface RowProps {
  name: string;
  nameId: string;
  buttons: ReactNode;
  children: ReactNode;
}

function Row({ name, nameId, buttons, children }: RowProps) {
  return (
    <li className="flex flex-col gap-2 py-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 id={nameId} className="min-w-40 flex-1 font-medium wrap-anywhere">
          {name}
        </h3>
        <div className="flex flex-wrap gap-2">{buttons}</div>
      </div>
      {children}
    </li>
  );
}

interface CopyLinkProps {
  link: string;
  /** The element that names what it leads to, as each row has a button with the same words. */
  of: string;
  children: string;
}

function CopyLink({ link, of, children }: CopyLinkProps) {
  const { t } = useTranslation('ui');
  const id = useId();
  const copy = useCopy();
  async function copyLink() {
    if (await copy(link)) toast(t('copied'));
  }
  return (
    <Button id={id} aria-labelledby={`${id} ${of}`} icon={<Copy />} onPress={() => void copyLink()}>
      {children}
    </Button>
  );
}

/** What is copied, in full. */
function Details({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-sm text-[13px] text-ink-muted hover:text-ink pointer-coarse:py-3">
        {summary}
      </summary>
      <div className="mt-3 flex flex-col gap-3">{children}</div>
    </details>
  );
}

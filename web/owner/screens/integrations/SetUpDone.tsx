import { CircleCheck, Download, ScrollText } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { ArtBand } from '#web/ui/EmptyState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { useSite } from '../../site/current-site.tsx';
import { OpenPage } from '../../components/OpenPage.tsx';
import { ArrivedScene } from '../../components/scenes/scenes.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { lacksWebhook } from './integrations.logic.ts';
import type { Created } from './set-up.api.ts';
import { WebhookLink } from './WebhookLink.tsx';

interface DoneProps extends IntegrationProps {
  created: Created;
}

type PageToTry = Pick<NonNullable<Created['page']>, 'id' | 'url'>;

/** How to see a change arrive, which is what all this was for. */
function TryIt({ integration, connector, page }: IntegrationProps & { page: PageToTry | null }) {
  const { t } = useTranslation('integrations');
  const site = useSite();
  const tool = connector.name;
  return (
    <Card>
      <p className="text-pretty">{t('setup.done.try', { tool })}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        {page === null ? (
          <LinkButton to="/preference-pages">{t('setup.done.to_pages')}</LinkButton>
        ) : (
          <OpenPage site={site} page={page}>
            {t('setup.done.open_page')}
          </OpenPage>
        )}
        <LinkButton to="/deliveries" search={{ integration_id: integration.id }} icon={<ScrollText />}>
          {t('rules.deliveries', { tool })}
        </LinkButton>
      </div>
    </Card>
  );
}

/** Customers who were in the tool before it was connected: actions only send what changes from now on. */
function BringIn({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const tool = connector.name;
  return (
    <Card>
      <p className="text-pretty">{t('setup.done.already_there', { tool })}</p>
      <div className="mt-3 flex">
        <LinkButton to="/imports/new" search={{ integration_id: integration.id }} icon={<Download />}>
          {t('setup.done.import', { tool })}
        </LinkButton>
      </div>
    </Card>
  );
}

function ToPage({ page: { id, name } }: { page: Created['extended_pages'][number] }) {
  const { site_id } = useSite();
  return (
    <TextLink to="/edit-preference-page/$site/$id" params={{ site: site_id, id }}>
      {name}
    </TextLink>
  );
}

/** What was created, with the way to each, and what is left to do. */
export function SetUpDone({ integration, connector, created }: DoneProps) {
  const { t } = useTranslation('integrations');
  const { site_id } = useSite();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone.
  useEffect(() => heading.current?.focus(), []);
  const { lists, page, extended_pages, actions, skipped } = created;
  const tool = connector.name;
  const count = lists.length + actions.length + (page ? 1 : 0);
  const counted = t('setup.done.counted', { count });
  const skippedText = skipped > 0 && t('setup.done.skipped', { count: skipped });
  return (
    <div className="flex max-w-4xl flex-col gap-6">
      <Card
        art={
          count > 0 && (
            <div className="overflow-hidden rounded-t-lg">
              <ArtBand>
                <ArrivedScene />
              </ArtBand>
            </div>
          )
        }
        title={count === 0 ? counted : t('setup.done.title', { tool })}
        description={count === 0 ? skippedText : t('setup.done.text', { tool })}
        footer={
          <>
            <LinkButton to="/integrations/$id" params={{ id: integration.id }}>
              {t('setup.to_integration')}
            </LinkButton>
            {page && (
              <LinkButton
                to="/edit-preference-page/$site/$id"
                params={{ site: site_id, id: page.id }}
                variant="primary"
              >
                {t('setup.done.design')}
              </LinkButton>
            )}
          </>
        }
        titleRef={heading}
      >
        {count > 0 && (
          <div className="flex flex-col gap-4">
            <p className="flex items-center gap-2 font-medium">
              <CircleCheck size={18} aria-hidden className="shrink-0 text-success" />
              {counted}
            </p>
            <Facts>
              {lists.length > 0 && (
                <Fact name={t('setup.lists')}>
                  <ul className="flex flex-col gap-1">
                    {lists.map((list) => (
                      <li key={list.id}>
                        <TextLink to="/create-list/$id" params={{ id: list.id }}>
                          {list.name}
                        </TextLink>
                      </li>
                    ))}
                  </ul>
                </Fact>
              )}
              {page && (
                <Fact name={t('setup.page')}>
                  <ToPage page={page} />
                </Fact>
              )}
              {extended_pages.length > 0 && (
                <Fact name={t('setup.done.shown_on')}>
                  <ul className="flex flex-col gap-1">
                    {extended_pages.map((one) => (
                      <li key={one.id}>
                        <ToPage page={one} />
                      </li>
                    ))}
                  </ul>
                </Fact>
              )}
              {actions.length > 0 && (
                <Fact name={t('setup.done.actions')}>
                  <TextLink to="/actions">
                    {t('setup.done.actions_count', { count: actions.length })}
                  </TextLink>
                </Fact>
              )}
            </Facts>
            {skippedText && <p className="text-[13px] text-ink-muted">{skippedText}</p>}
          </div>
        )}
      </Card>
      {lists.length > 0 && page === null && extended_pages.length === 0 && (
        <Notice>
          {t('setup.done.on_page')} <TextLink to="/preference-pages">{t('setup.done.to_pages')}</TextLink>
        </Notice>
      )}
      {count > 0 && connector.imports.length > 0 && <BringIn {...{ integration, connector }} />}
      {actions.length > 0 && (
        <TryIt {...{ integration, connector }} page={page ?? extended_pages[0] ?? null} />
      )}
      {lacksWebhook(integration, connector) && (
        <Notice>
          {t('setup.done.webhook', { tool })} <WebhookLink id={integration.id} />
        </Notice>
      )}
    </div>
  );
}

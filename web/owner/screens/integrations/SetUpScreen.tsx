import { ArrowLeft, RotateCw, SearchX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FailedCheck } from '#contract/page-checks.ts';
import type { Proposals } from '#contract/proposals.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { hasErrorCode } from '../../api/error-codes.ts';
import { failedChecksIn } from '../../components/failed-checks.ts';
import { BackLink } from '../../components/BackLink.tsx';
import { NeedsRole } from '../../components/NeedsRole.tsx';
import { FormBar } from '../../components/FormBar.tsx';
import { OverrideDialog } from '../../components/OverrideDialog.tsx';
import { ArrivedScene } from '../../components/scenes/scenes.tsx';
import { ToolError } from '../../components/ToolError.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { lacksWebhook, noticeKey, noticeOf, secretOf } from './integrations.logic.ts';
import { Gone, isGone, LoadedIntegration, useIntegrationProps } from './LoadedIntegration.tsx';
import { type Created, useApplyProposals, useProposals } from './set-up.api.ts';
import { readLeftOut, rememberLeftOut } from './left-out-lists.ts';
import {
  changedLinks,
  changedNames,
  type Choices,
  countTicked,
  hasOpen,
  leftOutLists,
  linkedProposals,
  suggestedTicks,
  ticksToCreate,
  unlinkedLists,
} from './set-up.logic.ts';
import { SetUpDone } from './SetUpDone.tsx';
import { SetUpForm, Unlinked } from './SetUpForm.tsx';
import { useActionNames } from './use-action-names.ts';
import { WebhookLink } from './WebhookLink.tsx';

/** Recognition: what the tool has, matched with what the site has; one click creates what is ticked. */
export function SetUpScreen({ id }: { id: string }) {
  const { t } = useTranslation('integrations');
  const { integration } = useIntegrationProps(id);
  const canEdit = usePermission('editor');
  const name = integration?.name;
  return (
    <>
      <PageHeader
        title={name === undefined ? t('setup.title') : t('setup.title_of', { name })}
        back={
          <BackLink to="/integrations/$id" params={{ id }}>
            {name ?? t('detail.title')}
          </BackLink>
        }
      />
      <NeedsRole needs="editor" action={<ToIntegration id={id} />} />
      {canEdit && (
        <LoadedIntegration id={id} panels={3}>
          {(props) => <SetUp {...props} />}
        </LoadedIntegration>
      )}
    </>
  );
}

function ToIntegration({ id }: { id: string }) {
  const { t } = useTranslation('integrations');
  return (
    <LinkButton to="/integrations/$id" params={{ id }} icon={<ArrowLeft />}>
      {t('setup.to_integration')}
    </LinkButton>
  );
}

function SetUp(props: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const { integration, connector } = props;
  const { id } = integration;
  const tool = connector.name;
  const query = useProposals(id);
  const canFix = usePermission('admin');
  const [created, setCreated] = useState<Created | null>(null);
  if (created !== null) return <SetUpDone {...props} created={created} />;
  if (isGone(query.error)) return <Gone />;
  if (query.isError && !query.data) {
    const isRefused = hasErrorCode(query.error, 'credentials_refused');
    const isAway = hasErrorCode(query.error, 'unavailable');
    return (
      <ErrorState
        error={query.error}
        {...(isRefused
          ? {
              text: t(
                noticeKey(noticeOf('credentials_refused', integration.connected_by, connector), canFix),
                { tool },
              ),
            }
          : {})}
        {...(isAway ? { text: t('error.no_answer', { tool }) } : {})}
        {...(isRefused && canFix ? { action: <ToCredentials {...props} /> } : {})}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!query.data) {
    return (
      <>
        <p role="status" className="sr-only">
          {t('setup.reading', { tool })}
        </p>
        <div className="max-w-4xl">
          <Skeleton shape="panels" count={3} />
        </div>
      </>
    );
  }
  if (!hasOpen(query.data)) return <NothingLeft id={id} tool={tool} proposals={query.data} />;
  return (
    <Proposed
      {...props}
      proposals={query.data}
      query={query}
      needsWebhook={lacksWebhook(integration, connector)}
      onDone={setCreated}
    />
  );
}

function ToCredentials({ integration: { id, connected_by }, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  return (
    <LinkButton to="/integrations/$id" params={{ id }} search={{ connect: true }} variant="primary">
      {connected_by === 'oauth'
        ? t('detail.log_in_again', { tool: connector.name })
        : t(`secret.${secretOf(connected_by, connector)}.enter_new`)}
    </LinkButton>
  );
}

function NothingLeft({ id, tool, proposals }: { id: string; tool: string; proposals: Proposals }) {
  const { t } = useTranslation('integrations');
  return (
    <div className="flex flex-col gap-6">
      <EmptyState
        art={<ArrivedScene />}
        title={t('setup.nothing.title')}
        text={t('setup.nothing.text', { tool })}
        action={<ToIntegration id={id} />}
      />
      <Unlinked tool={tool} names={unlinkedLists(proposals, { ticks: new Set(), links: new Map() })} />
    </div>
  );
}

function NoLists({ query, tool }: { query: ReturnType<typeof useProposals>; tool: string }) {
  const { t } = useTranslation('integrations');
  return (
    <>
      <EmptyState
        icon={<SearchX />}
        title={t('setup.no_lists.title', { tool })}
        text={t('setup.no_lists.text', { tool })}
        action={
          <Button icon={<RotateCw />} isPending={query.isFetching} onPress={() => void query.refetch()}>
            {t('setup.no_lists.again')}
          </Button>
        }
      />
      {!query.isFetching && <ToolError error={query.error} tool={tool} />}
    </>
  );
}

interface ProposedProps extends IntegrationProps {
  proposals: Proposals;
  query: ReturnType<typeof useProposals>;
  /** Until then nothing comes back from the tool. */
  needsWebhook: boolean;
  onDone: (created: Created) => void;
}

function Proposed({ integration, connector, proposals, query, needsWebhook, onDone }: ProposedProps) {
  const { t } = useTranslation('integrations');
  const tool = connector.name;
  const [own, setOwn] = useState<Choices | null>(null);
  const [leftOut] = useState(() => readLeftOut(integration.id));
  const choices = own ?? { ticks: suggestedTicks(proposals, leftOut), links: new Map(), names: new Map() };
  const { ticks } = choices;
  const linked = linkedProposals(proposals, choices.links);
  const apply = useApplyProposals(integration.id);
  const [held, setHeld] = useState<FailedCheck[] | null>(null);
  const namesOf = useActionNames(integration.name);
  const counts = countTicked(linked, ticks);
  const total = counts.lists + counts.pages + counts.actions;
  const counted = listFormat(useLanguage()).format([
    ...(counts.lists > 0 ? [t('setup.count.lists', { count: counts.lists })] : []),
    ...(counts.pages > 0 ? [t('setup.count.page')] : []),
    ...(counts.actions > 0 ? [t('setup.done.actions_count', { count: counts.actions })] : []),
  ]);
  const chosen = total === 0 ? t('setup.none_chosen') : t('setup.to_create', { what: counted });

  function choose(next: Choices) {
    setOwn(next);
    rememberLeftOut(integration.id, leftOutLists(proposals, next));
  }

  async function create(reason?: string) {
    const links = changedLinks(proposals, choices);
    const names = changedNames(proposals, choices);
    const override = reason === undefined ? {} : { override: { reason } };
    const created = await apply
      .mutateAsync({
        create: namesOf(proposals, ticksToCreate(proposals, choices), names),
        links,
        ...override,
      })
      .catch((cause: unknown) => {
        setHeld(failedChecksIn(cause));
        return null;
      });
    if (created !== null) onDone(created);
  }

  return (
    <div className="flex max-w-4xl flex-col gap-6">
      {proposals.resources === 0 ? (
        <NoLists query={query} tool={tool} />
      ) : (
        <p className="-mt-5 max-w-2xl text-pretty text-ink-muted">{t('setup.text', { tool })}</p>
      )}
      {needsWebhook && (
        <Notice>
          {t('setup.one_way_now', { tool })} <WebhookLink id={integration.id} />
        </Notice>
      )}
      <SetUpForm
        {...{ connector, proposals, choices, needsWebhook }}
        onChoices={choose}
        isBusy={apply.isPending}
      />
      <ToolError error={failedChecksIn(apply.error) ? null : apply.error} tool={tool} />
      <FormBar status={apply.isPending ? t('setup.creating') : chosen}>
        <Button
          variant="primary"
          isPending={apply.isPending}
          isDisabled={total === 0}
          onPress={() => void create()}
        >
          {t('setup.create')}
        </Button>
      </FormBar>
      {held && <OverrideDialog checks={held} onClose={() => setHeld(null)} onPublish={create} />}
    </div>
  );
}

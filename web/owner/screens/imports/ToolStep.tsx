import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { ImportResource } from '#contract/imports.ts';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { IntegrationsScene } from '../../components/scenes/scenes.tsx';
import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';
import { useActions } from '../../queries/action-queries.ts';
import { useLists } from '../../queries/list-queries.ts';
import { useCreateToolImport, useToolResources } from './imports.api.ts';
import { linkedListsOf } from './imports.logic.ts';
import { ReviveField } from './ReviveField.tsx';
import { SendField } from './SendField.tsx';

type Kind = ConnectorInfo['imports'][number];

interface Readable {
  integration: Integration;
  kinds: Kind[];
}

interface StepProps {
  /** The tool that is chosen first; null: the first one. */
  integrationId: string | null;
  onDone: (id: string) => void;
}

/** Which contacts of which connected tool to import, and to which lists. */
export function ToolStep({ integrationId, onDone }: StepProps) {
  const { t } = useTranslation('imports');
  const integrations = useIntegrations();
  const connectors = useConnectors();
  if (integrations.isPending || connectors.isPending) return <Skeleton shape="form" count={2} />;
  if (integrations.isLoadingError)
    return <ErrorState error={integrations.error} onRetry={() => void integrations.refetch()} />;
  if (connectors.isLoadingError)
    return <ErrorState error={connectors.error} onRetry={() => void connectors.refetch()} />;
  const readable = integrations.data
    .map((integration) => ({
      integration,
      kinds: connectors.data.find((one) => one.id === integration.provider)?.imports ?? [],
    }))
    .filter(({ kinds }) => kinds.length > 0);
  if (readable.length > 0) return <ToolForm {...{ readable, integrationId, onDone }} />;
  const names = connectors.data.filter((one) => one.imports.length > 0).map(({ name }) => name);
  return (
    <EmptyState
      art={<IntegrationsScene />}
      title={t('tool.none')}
      text={t('tool.none_text')}
      example={t('tool.none_example', { tools: names.join(', ') })}
      action={<LinkButton to="/integrations">{t('tool.connect')}</LinkButton>}
    />
  );
}

interface Choice {
  integration: string;
  kind: Kind;
}

function ToolForm({ readable, integrationId, onDone }: StepProps & { readable: Readable[] }) {
  const { t } = useTranslation('imports');
  const [choice, setChoice] = useState<Choice | null>(
    () => firstOf(readable.filter((one) => one.integration.id === integrationId)) ?? firstOf(readable),
  );
  const kinds = readable.find((one) => one.integration.id === choice?.integration)?.kinds ?? [];
  return (
    <div className="flex flex-col gap-6">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('tool.integration')}
          options={readable.map(({ integration }) => ({ value: integration.id, label: integration.name }))}
          value={choice?.integration ?? null}
          onChange={(id) => setChoice(firstOf(readable.filter((one) => one.integration.id === id)))}
        />
        {choice && (
          <SelectField
            label={t('tool.kind')}
            options={kinds.map((kind) => ({ value: kind, label: t(`tool.kinds.${kind}`) }))}
            value={choice.kind}
            onChange={(kind) => setChoice({ ...choice, kind })}
          />
        )}
      </div>
      {choice && <Resources key={`${choice.integration} ${choice.kind}`} choice={choice} onDone={onDone} />}
    </div>
  );
}

function firstOf([first]: Readable[]): Choice | null {
  const kind = first?.kinds[0];
  return first && kind ? { integration: first.integration.id, kind } : null;
}

const LEAVE_OUT = 'leave_out';
const NEW_LIST = 'new_list';

function Resources({ choice, onDone }: { choice: Choice; onDone: (id: string) => void }) {
  const { t } = useTranslation('imports');
  const query = useToolResources(choice.integration, choice.kind);
  const lists = useLists();
  const actions = useActions();
  const create = useCreateToolImport();
  const [targets, setTargets] = useState<ReadonlyMap<string, string>>(new Map());
  const [revive, setRevive] = useState(false);
  const [sends, setSends] = useState(false);

  if (query.isPending || lists.isPending || actions.isPending) return <Skeleton count={3} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (lists.isLoadingError) return <ErrorState error={lists.error} onRetry={() => void lists.refetch()} />;
  if (query.data.length === 0) return <Notice>{t(`tool.empty.${choice.kind}`)}</Notice>;

  const linked = linkedListsOf(actions.data ?? [], choice, lists.data);
  const targetOf = (id: string) => targets.get(id) ?? linked.get(id) ?? LEAVE_OUT;
  const resources: ImportResource[] = query.data.flatMap((resource) => {
    const target = targetOf(resource.id);
    return target === LEAVE_OUT ? [] : [{ resource, list_id: target === NEW_LIST ? null : target }];
  });
  const options = [
    { value: LEAVE_OUT, label: t('tool.leave_out') },
    { value: NEW_LIST, label: t('tool.new_list') },
    ...lists.data.map((list) => ({ value: list.id, label: list.name })),
  ];

  return (
    <>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {query.data.map((resource) => (
          <li
            key={resource.id}
            className="grid items-center gap-x-6 gap-y-2 px-5 py-3 sm:grid-cols-[minmax(0,1fr)_16rem]"
          >
            <span className="min-w-0 font-medium break-words">{resource.name}</span>
            <SelectField
              label={t('tool.target', { name: resource.name })}
              isLabelHidden
              options={options}
              value={targetOf(resource.id)}
              onChange={(target) => setTargets(new Map(targets).set(resource.id, target))}
            />
          </li>
        ))}
      </ul>
      <SendField
        value={{ send_subscriptions: sends, exported_from: choice.integration }}
        onChange={({ send_subscriptions }) => setSends(send_subscriptions)}
        isFile={false}
      />
      <ReviveField isSelected={revive} onChange={setRevive} />
      <CreateError error={create.error} />
      <div className="flex flex-wrap items-center justify-end gap-3">
        <span className="mr-auto text-[13px] text-ink-muted max-sm:basis-full">{t('tool.nothing_yet')}</span>
        <Button
          variant="primary"
          isDisabled={resources.length === 0}
          isPending={create.isPending}
          onPress={() =>
            create.mutate(
              {
                integration_id: choice.integration,
                kind: choice.kind,
                resources,
                options: { revive, send_subscriptions: sends },
              },
              { onSuccess: ({ id }) => onDone(id) },
            )
          }
        >
          {t('tool.start')}
        </Button>
      </div>
    </>
  );
}

/** Only the server's message says why the tool cannot be read. */
function CreateError({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.errors[0]?.code === 'bad_request') {
    return (
      <div role="alert">
        <Notice tone="danger">{error.errors[0].message}</Notice>
      </div>
    );
  }
  return <FormError error={error} />;
}

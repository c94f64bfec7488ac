import { Plug } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo } from '#contract/integrations.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { usePermission } from '../../account/permissions.ts';
import { abilitiesOf, matching, namedFirst } from './integrations.logic.ts';
import { ToolMark } from './ToolMark.tsx';

interface ConnectorGalleryProps {
  connectors: readonly ConnectorInfo[];
  /** Names of tools that the owner uses but has not connected. */
  named: readonly string[];
  onConnect: (connector: ConnectorInfo) => void;
  onAbilities: (connector: ConnectorInfo) => void;
}

/** The supported tools, searchable by name. */
export function ConnectorGallery({ connectors, named, onConnect, onAbilities }: ConnectorGalleryProps) {
  const { t } = useTranslation('integrations');
  const titleId = useId();
  const [typed, setTyped] = useState('');
  const found = namedFirst(matching(connectors, typed), named);
  return (
    <section aria-labelledby={titleId}>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <h2 id={titleId} className="text-base font-semibold">
          {t('gallery.title')}
        </h2>
        <div className="w-full sm:w-64">
          <TextField
            label={t('gallery.search')}
            isLabelHidden
            placeholder={t('gallery.search')}
            type="search"
            value={typed}
            onChange={setTyped}
          />
        </div>
      </div>
      <p role="status" className="text-ink-muted empty:sr-only">
        {found.length === 0 ? t('gallery.none') : ''}
      </p>
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {found.map((connector) => (
          <ConnectorCard
            key={connector.id}
            connector={connector}
            isNamed={named.includes(connector.name)}
            onConnect={() => onConnect(connector)}
            onAbilities={() => onAbilities(connector)}
          />
        ))}
      </ul>
    </section>
  );
}

interface ConnectorCardProps {
  connector: ConnectorInfo;
  /** Named by the owner at sign-up. */
  isNamed: boolean;
  onConnect: () => void;
  onAbilities: () => void;
}

function ConnectorCard({ connector, isNamed, onConnect, onAbilities }: ConnectorCardProps) {
  const { t } = useTranslation(['integrations', 'actions']);
  const { name } = connector;
  const canConnect = usePermission('admin');
  return (
    <li className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <div className="flex min-w-0 items-start gap-3">
        <ToolMark name={name} />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h3 className="font-semibold break-words">{name}</h3>
            {isNamed && <Badge tone="accent">{t('gallery.named')}</Badge>}
          </div>
          <p className="text-[13px] text-pretty text-ink-muted">
            {abilitiesOf(connector)
              .map((type) => t(`actions:type.${type}`))
              .join(', ')}
          </p>
        </div>
      </div>
      <div className="mt-auto flex flex-wrap gap-2">
        {canConnect && (
          <Button
            size="sm"
            icon={<Plug />}
            aria-label={t('gallery.connect_of', { tool: name })}
            onPress={onConnect}
          >
            {t('gallery.connect')}
          </Button>
        )}
        <Button
          size="sm"
          variant="ghost"
          aria-label={`${t('gallery.abilities')}: ${name}`}
          onPress={onAbilities}
        >
          {t('gallery.abilities')}
        </Button>
      </div>
    </li>
  );
}

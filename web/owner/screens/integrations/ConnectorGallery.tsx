import { Plug } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo } from '#contract/integrations.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { ToolMark } from '../../components/ToolMark.tsx';
import { abilitiesOf, inOrder, matching } from './integrations.logic.ts';

interface ConnectorGalleryProps {
  connectors: readonly ConnectorInfo[];
  /** Ids of connectors that the site has an integration with. */
  connected: ReadonlySet<string>;
  /** Names of tools that the owner said they use. */
  named: readonly string[];
  onConnect: (connector: ConnectorInfo) => void;
  onAbilities: (connector: ConnectorInfo) => void;
}

/** The supported tools, searchable by name. */
export function ConnectorGallery({
  connectors,
  connected,
  named,
  onConnect,
  onAbilities,
}: ConnectorGalleryProps) {
  const { t } = useTranslation('integrations');
  const titleId = useId();
  const [typed, setTyped] = useState('');
  const found = inOrder(matching(connectors, typed), { named, connected });
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
            isConnected={connected.has(connector.id)}
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
  isConnected: boolean;
  /** Named by the owner at sign-up. */
  isNamed: boolean;
  onConnect: () => void;
  onAbilities: () => void;
}

function ConnectorCard({ connector, isConnected, isNamed, onConnect, onAbilities }: ConnectorCardProps) {
  const { t } = useTranslation('integrations');
  const { name } = connector;
  return (
    <li className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <div className="flex min-w-0 items-start gap-3">
        <ToolMark {...connector} />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h3 className="font-semibold break-words">{name}</h3>
            {isNamed && !isConnected && <Badge tone="accent">{t('gallery.named')}</Badge>}
          </div>
          <p className="text-[13px] text-pretty text-ink-muted">
            {abilitiesOf(connector)
              .map((type) => t(`gallery.verb.${type}`))
              .join('\u00a0· ')}
          </p>
        </div>
      </div>
      <div className="mt-auto flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Plug />}
          aria-label={
            isConnected ? `${t('gallery.add_account')}: ${name}` : t('gallery.connect_of', { tool: name })
          }
          onPress={onConnect}
        >
          {t(isConnected ? 'gallery.add_account' : 'gallery.connect')}
        </Button>
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

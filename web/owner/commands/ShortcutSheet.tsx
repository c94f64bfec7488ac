import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '#web/ui/Dialog.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import type { CommandLayerProps } from './open-layer.ts';
import { isMac } from './platform.ts';
import { areSingleKeysOn, setSingleKeys } from './single-keys.ts';
import { Keys } from './Keys.tsx';
import { shortcutOf, PATHS, SCREENS } from './use-commands.tsx';

/** All keyboard shortcuts, and a switch that turns single-key ones off. */
export function ShortcutSheet({ onClose }: CommandLayerProps) {
  const { t } = useTranslation(['commands', 'shell']);
  const [areOn, setAreOn] = useState(areSingleKeysOn);
  return (
    <Dialog isOpen onOpenChange={onClose} size="md" title={t('shell:shortcuts')}>
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        <Shortcuts title={t('sheet.anywhere')}>
          <Row label={t('title')} keys={[isMac() ? '⌘' : 'Ctrl', 'k']} />
          <Row label={t('sheet.search')} keys={['/']} />
          <Row label={t('shell:shortcuts')} keys={['?']} />
          <Row label={t('sheet.close')} keys={['Esc']} />
        </Shortcuts>
        <Shortcuts title={t('groups.go')}>
          {PATHS.map((path) => (
            <Row key={path} label={t(`shell:titles.${SCREENS[path].title}`)} keys={['g', shortcutOf(path)]} />
          ))}
        </Shortcuts>
      </div>
      <div className="mt-6 border-t border-line pt-4">
        <SwitchField
          label={t('sheet.single')}
          description={t('sheet.single_help')}
          isSelected={areOn}
          onChange={(on) => {
            setSingleKeys(on);
            setAreOn(on);
          }}
        />
      </div>
    </Dialog>
  );
}

function Shortcuts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-ink-muted">{title}</h3>
      <dl className="divide-y divide-line">{children}</dl>
    </section>
  );
}

function Row({ label, keys }: { label: string; keys: readonly string[] }) {
  return (
    <div className="flex items-center justify-between gap-4 py-1.5">
      <dt>{label}</dt>
      <dd>
        <Keys keys={keys} />
      </dd>
    </div>
  );
}

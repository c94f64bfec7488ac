import { ChevronDown, Search } from 'lucide-react';
import { Suspense, useEffect, useEffectEvent, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { LazyCreateSiteDialog } from '../screens/account/organization/lazy-create-site-dialog.ts';
import type { CommandLayerProps } from './open-layer.ts';
import { useCommandSearch } from './commands.api.ts';
import { found, type Group } from './commands.logic.ts';
import { Keys } from './Keys.tsx';
import { hasKeyboard } from './has-keyboard.ts';
import { addRecent, readRecent } from './recent-commands.ts';
import type { Command } from './command.ts';
import { useFixedCommands, useThingCommands } from './use-commands.tsx';

/** The field may still name a row that is gone. */
function isARowMarked(): boolean {
  const id = document.activeElement?.getAttribute('aria-activedescendant') ?? '';
  return document.getElementById(id) !== null;
}

/** Finds screens, things and commands by typing; arrow keys reach every row. */
export function CommandPalette({ onClose, onOpen }: CommandLayerProps) {
  const { t } = useTranslation('commands');
  const [typed, setTyped] = useState('');
  const [recent] = useState(readRecent);
  const [whole, setWhole] = useState<Group | null>(null);
  const [isCreatingSite, setIsCreatingSite] = useState(false);
  /** Whether Enter was pressed while there was no row yet. */
  const [isAwaited, setIsAwaited] = useState(false);
  const things = useCommandSearch(typed);
  const { isSearching } = things;
  const commands = [
    ...useFixedCommands({ onOpen, onCreateSite: () => setIsCreatingSite(true) }),
    ...useThingCommands(things),
  ];
  const groups = found(typed, commands, recent, whole);
  const [first] = groups.flatMap((one) => one.commands);

  function type(text: string) {
    setTyped(text);
    setWhole(null);
    setIsAwaited(false);
  }

  function run(command: Command) {
    if (command.group !== 'customers') addRecent(command.id);
    if (command.isDialog !== true) onClose();
    command.run();
  }

  /** Enter pressed before the list has marked its first row, or before there is one. */
  function runFirst() {
    if (isARowMarked()) return;
    if (first) run(first);
    else setIsAwaited(isSearching);
  }

  const runAwaited = useEffectEvent(() => {
    setIsAwaited(false);
    if (first) run(first);
  });
  useEffect(() => {
    if (isAwaited && !isSearching) runAwaited();
  }, [isAwaited, isSearching]);

  if (isCreatingSite) {
    return (
      <Suspense>
        <LazyCreateSiteDialog onClose={onClose} />
      </Suspense>
    );
  }
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={onClose}
      className="fixed inset-0 z-50 flex animate-fade items-start justify-center bg-scrim p-3 sm:pt-[12vh]"
    >
      <Modal className="w-full max-w-xl animate-rise rounded-lg border border-line bg-raised shadow-lift">
        <Dialog
          aria-label={t('title')}
          className="flex max-h-[min(32rem,calc(100dvh-1.5rem))] flex-col outline-none sm:max-h-[min(32rem,76vh)]"
        >
          <Autocomplete inputValue={typed} onInputChange={type}>
            <SearchField
              autoFocus
              aria-label={t('title')}
              onSubmit={runFirst}
              className="relative border-b border-line"
            >
              <Search size={18} aria-hidden className="absolute top-3.5 left-4 text-ink-muted" />
              <Input
                // Focus stays here while the arrow keys move through the list, which `Autocomplete` marks as controlled.
                // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props
                role="combobox"
                aria-expanded
                aria-haspopup="listbox"
                placeholder={t('placeholder')}
                className="w-full rounded-t-lg bg-transparent py-3 pr-4 pl-11 text-base text-ellipsis outline-none max-sm:placeholder:text-sm [&::-webkit-search-cancel-button]:hidden"
              />
            </SearchField>
            <ListBox
              aria-label={t('title')}
              className="min-h-0 flex-1 overflow-y-auto p-1.5 outline-none"
              renderEmptyState={() => <Nothing typed={typed} isSearching={isSearching} />}
            >
              {groups.map(({ group, commands: rows, more }) => (
                <CommandGroup
                  key={group}
                  group={group}
                  commands={rows}
                  more={more}
                  onRun={run}
                  onShowAll={() => setWhole(group)}
                />
              ))}
            </ListBox>
          </Autocomplete>
          <Foot isFailed={things.isFailed} isSearching={isSearching} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface CommandGroupProps {
  group: Group;
  commands: readonly Command[];
  /** How many are not shown. */
  more: number;
  onRun: (command: Command) => void;
  onShowAll: () => void;
}

const ROW =
  'flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 outline-none data-hovered:bg-hover data-focused:bg-accent-soft data-focused:text-accent pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0';

function CommandGroup({ group, commands, more, onRun, onShowAll }: CommandGroupProps) {
  const { t } = useTranslation('commands');
  return (
    <ListBoxSection id={group} aria-label={t(`groups.${group}`)}>
      <Header className="px-2.5 pt-2.5 pb-1 text-xs font-medium text-ink-muted">
        {t(`groups.${group}`)}
      </Header>
      {commands.map((command) => (
        <ListBoxItem
          key={command.id}
          id={`${group}/${command.id}`}
          textValue={command.label}
          onAction={() => onRun(command)}
          className={ROW}
        >
          <span className="text-ink-muted">{command.icon}</span>
          <span className="min-w-0 flex-1 truncate">{command.label}</span>
          {command.hint !== undefined && (
            <span className="max-w-1/2 shrink-0 truncate text-[13px] text-ink-muted">{command.hint}</span>
          )}
          {command.keys && (
            <span aria-hidden className="max-sm:hidden">
              <Keys keys={command.keys} />
            </span>
          )}
        </ListBoxItem>
      ))}
      {more > 0 && (
        <ListBoxItem
          id={`${group}/all`}
          textValue={t('show_all', { count: commands.length + more })}
          onAction={onShowAll}
          className={ROW}
        >
          <ChevronDown aria-hidden className="text-ink-muted" />
          {t('show_all', { count: commands.length + more })}
        </ListBoxItem>
      )}
    </ListBoxSection>
  );
}

function Nothing({ typed, isSearching }: { typed: string; isSearching: boolean }) {
  const { t } = useTranslation('commands');
  if (isSearching) return <p className="px-3 py-8 text-center text-ink-muted">{t('searching')}</p>;
  return (
    <div className="px-3 py-8 text-center">
      <p className="font-medium break-words">{t('empty.title', { text: typed.trim() })}</p>
      <p className="mt-1 text-ink-muted">{t('empty.text')}</p>
    </div>
  );
}

function Foot({ isFailed, isSearching }: { isFailed: boolean; isSearching: boolean }) {
  const { t } = useTranslation('commands');
  const hint = isSearching ? t('searching') : hasKeyboard() && t('hint');
  return (
    <p
      role="status"
      className={`border-t border-line px-4 py-2 text-xs empty:sr-only ${isFailed ? 'text-danger' : 'text-ink-muted'}`}
    >
      {isFailed ? t('search_failed') : hint}
    </p>
  );
}

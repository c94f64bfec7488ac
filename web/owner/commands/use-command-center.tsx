import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import i18next from 'i18next';
import { reportUnreachable } from '../api/reachability.ts';
import type { CommandLayer, CommandLayerProps } from './open-layer.ts';
import { areSingleKeysOn } from './single-keys.ts';
import { type Pressed, shortcutOf } from './shortcuts.logic.ts';

/** Loaded on first use. */
const LAYERS: Record<CommandLayer, () => Promise<ComponentType<CommandLayerProps>>> = {
  palette: async () => (await import('./load-palette.ts')).loadPalette(),
  shortcuts: async () => (await import('./ShortcutSheet.tsx')).ShortcutSheet,
};

/** The command palette and the sheet of shortcuts, with the keys that open them. `layer` has to be rendered. */
export function useCommandCenter() {
  const navigate = useNavigate();
  const [shown, setShown] = useState<{ name: CommandLayer; Layer: ComponentType<CommandLayerProps> } | null>(
    null,
  );
  const shownName = useRef<CommandLayer | null>(null);
  useEffect(() => {
    shownName.current = shown?.name ?? null;
  });

  const open = useCallback(async (name: CommandLayer) => {
    try {
      const [Layer] = await Promise.all([LAYERS[name](), i18next.loadNamespaces('commands')]);
      setShown({ name, Layer });
    } catch {
      reportUnreachable();
    }
  }, []);
  const close = useCallback(() => setShown(null), []);

  useEffect(() => {
    let goAt: number | null = null;
    function listen(event: KeyboardEvent) {
      if (event.isComposing || event.repeat || isModifier(event.key)) return;
      const next = shortcutOf(pressedOf(event), goAt);
      goAt = next.goAt;
      const { does } = next;
      if (does === null) return;
      if (does.kind === 'palette' && isCovered() && shownName.current === null) return;
      const field = document.querySelector<HTMLElement>('main [type=search]');
      if (does.kind === 'search' && field === null) return;
      event.preventDefault();
      if (does.kind === 'search') field?.focus();
      else if (does.kind === 'go') void navigate({ to: does.to });
      else if (shownName.current === does.kind) close();
      else void open(does.kind);
    }
    window.addEventListener('keydown', listen, true);
    return () => window.removeEventListener('keydown', listen, true);
  }, [navigate, open, close]);

  const layer = shown && <shown.Layer onClose={close} onOpen={(name) => void open(name)} />;
  return { open: useCallback((name: CommandLayer) => void open(name), [open]), layer };
}

/** Shift precedes a question mark, and must not cancel a started `g` sequence. */
function isModifier(key: string): boolean {
  return ['Shift', 'Control', 'Meta', 'Alt', 'AltGraph', 'CapsLock'].includes(key);
}

const TYPING =
  'input, textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=searchbox], [role=menu], [role=listbox]';

function isCovered(): boolean {
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null;
}

function pressedOf(event: KeyboardEvent): Pressed {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
  const hasAltGraph = event.getModifierState('AltGraph');
  return {
    key,
    hasCommand: (ctrlKey || metaKey) && !hasAltGraph,
    hasAlt: altKey && !hasAltGraph,
    isTyping: target instanceof Element && target.closest(TYPING) !== null,
    isCovered: isCovered(),
    isCommandOnly: !areSingleKeysOn(),
    at: timeStamp,
  };
}

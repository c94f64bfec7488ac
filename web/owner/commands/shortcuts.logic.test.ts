import { describe, expect, it } from 'vitest';
import { type Pressed, shortcutOf } from './shortcuts.logic.ts';

function press(key: string, more: Partial<Pressed> = {}, goAt: number | null = null) {
  const plain = {
    hasCommand: false,
    hasAlt: false,
    isTyping: false,
    isCovered: false,
    isCommandOnly: false,
    at: 5000,
  };
  return shortcutOf({ key, ...plain, ...more }, goAt);
}

describe('shortcuts', () => {
  it('Ctrl or Cmd with K opens the palette, in a field too, for it types nothing', () => {
    for (const isTyping of [false, true]) {
      expect(press('k', { hasCommand: true, isTyping }).does).toEqual({ kind: 'palette' });
    }
    expect(press('K', { hasCommand: true }).does).toEqual({ kind: 'palette' });
    expect(press('k').does).toBeNull();
  });

  it('a question mark opens the list of shortcuts', () => {
    expect(press('?').does).toEqual({ kind: 'shortcuts' });
  });

  it('a slash searches the screen', () => {
    expect(press('/').does).toEqual({ kind: 'search' });
  });

  it('g and then a letter goes to a screen, if it follows soon', () => {
    const { goAt } = press('g');
    expect(goAt).toBe(5000);
    expect(press('l', { at: 6000 }, goAt).does).toEqual({ kind: 'go', to: '/lists' });
    expect(press('l', { at: 7000 }, goAt).does).toBeNull();
    expect(press('x', { at: 5100 }, goAt)).toEqual({ does: null, goAt: null });
    expect(press('l').does).toBeNull();
  });

  it.each(['isTyping', 'isCovered', 'isCommandOnly', 'hasAlt'] as const)(
    'letters do nothing with %s',
    (state) => {
      expect(press('g', { [state]: true })).toEqual({ does: null, goAt: null });
      for (const key of ['?', '/']) expect(press(key, { [state]: true }).does).toBeNull();
      expect(press('l', { [state]: true }, 4900).does).toBeNull();
    },
  );

  it('leave all other combinations to the browser', () => {
    expect(press('l', { hasCommand: true }, 4900)).toEqual({ does: null, goAt: null });
  });
});

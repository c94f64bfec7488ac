import type { ReactNode } from 'react';
import type { Findable } from './commands.logic.ts';

/** A row of the palette. */
export interface Command extends Findable {
  icon: ReactNode;
  /** Keys that do the same. */
  keys?: readonly string[];
  /** Where it belongs, where others have the same label. */
  hint?: string;
  run: () => void;
  /** Opens a dialog in place of the palette. */
  isDialog?: boolean;
}

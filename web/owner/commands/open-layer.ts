import { createContext } from 'react';

export type CommandLayer = 'palette' | 'shortcuts';

export interface CommandLayerProps {
  onClose: () => void;
  /** Opens the other layer in its place. */
  onOpen: (layer: CommandLayer) => void;
}

/** Opens the command palette or the sheet of shortcuts, from anywhere in the shell. */
export const OpenLayerContext = createContext<(layer: CommandLayer) => void>(() => {});

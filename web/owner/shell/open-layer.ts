import { createContext } from 'react';

export type CommandLayer = 'palette' | 'shortcuts';

/** Opens the command palette or the sheet of shortcuts, from anywhere in the shell. */
export const OpenLayerContext = createContext<(layer: CommandLayer) => void>(() => {});

import i18next from 'i18next';
import { CommandPalette } from './CommandPalette.tsx';

/** The palette, with the texts that it borrows from the screens it leads to. */
export async function loadPalette() {
  await i18next.loadNamespaces(['settings', 'site', 'survey', 'test-mode']);
  return CommandPalette;
}

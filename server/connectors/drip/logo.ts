import type { Logo } from '../connector.ts';

/** Drawn by us, in the tool's colour. */
export const LOGO: Logo = {
  colour: '#7E2DE0',
  path: 'M12 1.5c3.6 4.6 7 8.5 7 13a7 7 0 0 1-14 0c0-4.5 3.4-8.4 7-13Zm-3.7 13.3a3.7 3.7 0 0 0 7.4 0h-1.9a1.8 1.8 0 0 1-3.6 0Z',
};

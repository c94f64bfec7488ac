import type { Logo } from '../connector.ts';

/** Drawn by us, in the tool's colour. */
export const LOGO: Logo = {
  colour: '#1B2B4B',
  path: 'M3 5h13.5a4.5 4.5 0 0 1 0 9H7.5a1.5 1.5 0 0 0 0 3H21v3H7.5a4.5 4.5 0 0 1 0-9h9a1.5 1.5 0 0 0 0-3H3Z',
};

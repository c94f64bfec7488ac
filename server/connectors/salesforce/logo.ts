import type { Logo } from '../connector.ts';

/** Drawn by us, in the tool's colour. */
export const LOGO: Logo = {
  colour: '#0B7FC4',
  path: 'M9.8 5.6a4.6 4.6 0 0 1 7.3 1.2 4.8 4.8 0 0 1 6.4 4.5 4.9 4.9 0 0 1-5.8 4.8 3.9 3.9 0 0 1-5.1 1.7 4.5 4.5 0 0 1-7.9-.7A4.2 4.2 0 0 1 .6 13a4.3 4.3 0 0 1 2.3-3.8 4.6 4.6 0 0 1 6.9-3.6Z',
};

import type { Logo } from '../connector.ts';

/** Drawn by us, in the tool's colour. */
export const LOGO: Logo = {
  colour: '#004CFF',
  path: 'M4 3.5 15.5 11.2a1 1 0 0 1 0 1.6L4 20.5v-3.4L11.4 12 4 6.9Zm14.5 5.2 3.2 2.4a1.1 1.1 0 0 1 0 1.8l-3.2 2.4Z',
};

import type { Logo } from '../connector.ts';

/** Drawn by us, in the tool's colour. */
export const LOGO: Logo = {
  colour: '#1A82E2',
  path: 'M2 2h13.3v6.7H8.7v6.6H2Zm6.7 20v-6.7h6.6V8.7H22V22Z',
};

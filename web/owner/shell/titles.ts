import type shell from '../locales/en/shell.json';

/** Title of a route: a key below `titles` of the shell's texts. */
export type TitleKey = keyof (typeof shell)['titles'];

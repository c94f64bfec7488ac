import type { TFunction } from 'i18next';
import type shell from '../locales/en/shell.json';
import { PRODUCT_NAME } from '../components/Logo.tsx';

/** A route's title: a key below `titles` in the shell's texts. */
export type TitleKey = keyof (typeof shell)['titles'];

/** Spec section 4: the route's title, by default the product's name. */
export function showTitle(key: TitleKey | undefined, t: TFunction<'shell'>): void {
  document.title = key ? t(`titles.${key}`) : PRODUCT_NAME;
}

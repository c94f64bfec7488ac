import type en from './locales/en.json';

export type TextKey = keyof typeof en;
export type Texts = Record<TextKey, string>;

/** One text with its `{placeholders}` filled in. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

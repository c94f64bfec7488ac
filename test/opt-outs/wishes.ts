/** What people said about their emails, without any of the product: the last word in their own time is what counts. */

export const LISTS = ['weekly', 'offers'] as const;
export type List = (typeof LISTS)[number];

export interface Word {
  about: List | 'everything';
  /** `on` was said to us, `on there` to the tool. What is only `perhaps` said allows either state and asks for none. */
  says: 'off' | 'on' | 'on there' | 'perhaps on' | 'perhaps off';
  /** When the person said it, whenever it was heard. */
  at: Date;
  /** The import or save that said it, which may be undone. */
  by?: string;
}

/** The later of all times: a word that may be applied at any time from now on. */
export const FROM_NOW_ON = new Date('9999-01-01T00:00:00Z');

const ENDS = ['off', 'perhaps off'] as const;

export class Wishes {
  #words: Word[] = [];

  say(...words: Word[]): void {
    this.#words.push(...words);
  }

  /** What is undone neither refuses nor asks for anything. */
  withdraw(by: string): void {
    this.#words = this.#words.map((word) => (word.by === by ? { ...word, says: 'perhaps off' } : word));
  }

  /** Did they last say no? Within the same moment the opt-out wins. */
  refuses(list: List): boolean {
    const refused = this.#last(list, ['off']);
    return refused !== null && refused >= (this.#last(list, ['on', 'on there', 'perhaps on']) ?? 0);
  }

  /** Did they last ask us for it, and nothing since can have ended it? */
  wants(list: List): boolean {
    const wanted = this.#last(list, ['on']);
    return wanted !== null && wanted > (this.#last(list, ENDS) ?? 0);
  }

  /** Did they ask for it in the tool, and nothing else was ever said against it? */
  keepsThere(list: List): boolean {
    return this.#last(list, ['on there']) !== null && this.#last(list, ENDS) === null;
  }

  #last(list: List, says: readonly Word['says'][]): number | null {
    const times = this.#words
      .filter((word) => (word.about === list || word.about === 'everything') && says.includes(word.says))
      .map(({ at }) => at.getTime());
    return times.length === 0 ? null : Math.max(...times);
  }
}

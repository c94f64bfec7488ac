import { Fragment, type ReactNode } from 'react';

const parts = (word: string) =>
  word.split(/(?=[@/])/).map((part, index) => (
    <Fragment key={`${index} ${part}`}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));

/**
 * An address that breaks before its `@`, or before a `/`, rather than anywhere. It has an element of its own, so that a
 * style sheet can keep it on one line as long as it fits.
 */
export function breakable(text: string): ReactNode {
  return text
    .split(/(\S*[@/]\S*)/)
    .map((words, index) => (index % 2 === 0 ? words : <span key={`${index} ${words}`}>{parts(words)}</span>));
}

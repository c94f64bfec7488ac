import { Fragment, type ReactNode } from 'react';

const HAS_ADDRESS = /(\S{0,99}[@/]\S*)/;

const parts = (address: string) =>
  address.split(/(?=[@/])/).map((part, index) => (
    <Fragment key={`${index} ${part}`}>
      {index > 0 && <wbr />}
      <span>{part}</span>
    </Fragment>
  ));

/**
 * An address that breaks before its `@`, or before a `/`, rather than anywhere, and that no translator changes. It has
 * an element of its own, so that a style sheet can keep it on one line as long as it fits.
 */
export function breakable(text: string): ReactNode {
  if (!HAS_ADDRESS.test(text)) return text;
  return text.split(HAS_ADDRESS).map((words, index) => {
    const key = `${index} ${words}`;
    if (index % 2 === 0) return words && <span key={key}>{words}</span>;
    return (
      <span key={key} translate="no">
        {parts(words)}
      </span>
    );
  });
}

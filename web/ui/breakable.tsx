import { Fragment, type ReactNode } from 'react';

/** An address that breaks before its `@`, or before a `/`, rather than anywhere. */
export function breakable(text: string): ReactNode {
  return text.split(/(?=[@/])/).map((part, index) => (
    <Fragment key={`${index} ${part}`}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

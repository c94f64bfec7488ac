import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface TextAnchorProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className' | 'style'> {
  tone?: 'accent' | 'plain';
  ref?: Ref<HTMLAnchorElement>;
}

const TONES = {
  accent: 'font-medium text-accent underline decoration-1 underline-offset-3 hover:text-accent-hover',
  plain: 'text-inherit no-underline hover:underline decoration-1 underline-offset-3',
};

/** A link in running text to another site. */
export function TextAnchor({ tone = 'accent', children, ref, ...props }: TextAnchorProps) {
  return (
    <a {...props} ref={ref} className={`rounded-sm wrap-anywhere ${TONES[tone]}`}>
      {children}
    </a>
  );
}

/** A link in running text to a route of the app. */
export const TextLink = createLink(TextAnchor);

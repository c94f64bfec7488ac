import { createLink } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface BackAnchorProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className' | 'style'> {
  ref?: Ref<HTMLAnchorElement>;
}

function BackAnchor({ children, ref, ...props }: BackAnchorProps) {
  return (
    <a
      {...props}
      ref={ref}
      className="inline-flex items-center gap-1.5 rounded-sm text-ink-muted no-underline hover:text-ink pointer-coarse:min-h-11 print:hidden"
    >
      <ArrowLeft size={16} aria-hidden />
      {children}
    </a>
  );
}

/** The way up, above a screen's title. */
export const BackLink = createLink(BackAnchor);

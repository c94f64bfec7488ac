import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import { buttonStyle, type ButtonSize, type ButtonVariant } from './button-style.ts';

interface ButtonAnchorProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className' | 'style'> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  ref?: Ref<HTMLAnchorElement>;
}

/** A link to another site that looks like a button. */
export function ButtonAnchor({
  variant = 'secondary',
  size = 'md',
  icon,
  children,
  ref,
  ...props
}: ButtonAnchorProps) {
  return (
    <a {...props} ref={ref} className={`${buttonStyle(variant, size)} print:hidden`}>
      {icon}
      {children}
    </a>
  );
}

/** A link to a route of the app that looks like a button. */
export const LinkButton = createLink(ButtonAnchor);

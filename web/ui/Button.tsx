import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { buttonStyle, type ButtonSize, type ButtonVariant } from './button-style.ts';
import { Spinner } from './Spinner.tsx';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  isFullWidth?: boolean;
  children: ReactNode;
}

/** While `isPending`, the button keeps its width and its focus, and presses do nothing. */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  isFullWidth,
  children,
  ...props
}: ButtonProps) {
  return (
    <AriaButton {...props} className={`${buttonStyle(variant, size)} ${isFullWidth ? 'w-full' : ''}`}>
      {({ isPending }) => (
        <>
          <span className={`inline-flex items-center gap-2 ${isPending ? 'opacity-0' : ''}`}>
            {icon}
            {children}
          </span>
          {isPending && (
            <span className="absolute inset-0 flex items-center justify-center">
              <Spinner />
            </span>
          )}
        </>
      )}
    </AriaButton>
  );
}

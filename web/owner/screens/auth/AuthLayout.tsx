import type { ReactNode } from 'react';
import { LanguageMenu } from '../../preferences/LanguageMenu.tsx';
import { Logo } from '../../components/Logo.tsx';

interface AuthLayoutProps {
  title: string;
  text?: ReactNode;
  children?: ReactNode;
  /** A link to the sibling screen. */
  footer?: ReactNode;
  /** Beside it, where the window is wide. */
  aside?: ReactNode;
  /** Instead, below it, where the window isn't. */
  about?: ReactNode;
}

export function AuthLayout({ title, text, children, footer, aside, about }: AuthLayoutProps) {
  const form = (
    <div className="flex min-h-dvh animate-fade flex-col items-center px-4 py-8 sm:py-16">
      <main className="flex w-full max-w-sm flex-1 flex-col">
        <Logo />
        <h1 className="mt-10 text-3xl font-semibold tracking-tight text-balance">{title}</h1>
        {text && <p className="mt-1.5 text-pretty text-ink-muted">{text}</p>}
        {children && <div className="mt-7">{children}</div>}
        {footer && <p className="mt-7 border-t border-line pt-5 text-ink-muted">{footer}</p>}
        {about && <div className="mt-10 lg:hidden">{about}</div>}
      </main>
      <footer className="mt-10 -ml-5 w-full max-w-sm">
        <LanguageMenu />
      </footer>
    </div>
  );
  if (aside === undefined) return form;
  return (
    <div className="lg:grid lg:grid-cols-2">
      {form}
      {aside}
    </div>
  );
}

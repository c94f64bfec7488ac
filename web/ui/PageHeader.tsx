import type { ReactNode } from 'react';
import { breakable } from './breakable.tsx';

export interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  /** The screen's one primary action. */
  action?: ReactNode;
  /** A way back, above the title. */
  back?: ReactNode;
}

export function PageHeader({ title, description, action, back }: PageHeaderProps) {
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
      <div className="min-w-0 max-w-2xl flex-1 basis-72">
        {back && <div className="mb-2">{back}</div>}
        {/* Focusable, for when the focus would be lost otherwise. */}
        <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight wrap-anywhere outline-none">
          {breakable(title)}
        </h1>
        {description && <p className="mt-1 text-pretty wrap-anywhere text-ink-muted">{description}</p>}
      </div>
      {action && <div className="flex flex-wrap items-center gap-2">{action}</div>}
    </header>
  );
}

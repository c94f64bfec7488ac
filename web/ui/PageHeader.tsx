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
        <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{breakable(title)}</h1>
        {description && <p className="mt-1 text-pretty wrap-anywhere text-ink-muted">{description}</p>}
      </div>
      {action && <div className="flex flex-wrap gap-2">{action}</div>}
    </header>
  );
}

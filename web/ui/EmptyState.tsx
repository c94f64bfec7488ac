import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** One sentence that teaches what this is for. */
  text: string;
  /** One button. */
  action?: ReactNode;
  /** One example of what will stand here. */
  example?: ReactNode;
}

export function EmptyState({ icon, title, text, action, example }: EmptyStateProps) {
  return (
    <section className="flex flex-col items-center rounded-lg border border-dashed border-line px-6 py-12 text-center">
      <span
        aria-hidden
        className="mb-4 flex size-11 items-center justify-center rounded-lg bg-accent-soft text-accent [&_svg]:size-5"
      >
        {icon}
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="mt-1 max-w-md text-balance text-ink-muted">{text}</p>
      {action && <div className="mt-5">{action}</div>}
      {example && <div className="mt-6 w-full max-w-md text-[13px] text-ink-muted">{example}</div>}
    </section>
  );
}

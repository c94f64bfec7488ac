import type { ReactNode } from 'react';

/** Names and values, side by side where there is room. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-[max-content_minmax(0,1fr)] sm:gap-y-2.5">
      {children}
    </dl>
  );
}

export function Fact({ name, action, children }: { name: string; action?: ReactNode; children: ReactNode }) {
  return (
    <div className="mb-2 min-w-0 sm:contents">
      <dt className="text-[13px] text-ink-muted sm:max-w-44 sm:text-sm">{name}</dt>
      <dd className="flex min-w-0 items-start gap-1 break-words">
        <div className="min-w-0">{children}</div>
        {action && <span className="-my-1.5 shrink-0">{action}</span>}
      </dd>
    </div>
  );
}

import type { ReactNode } from 'react';

/** A long form's buttons, always in sight. */
export function FormBar({ status, children }: { status: string; children: ReactNode }) {
  return (
    <div
      data-form-bar
      className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-canvas px-4 py-3 sm:mx-0 sm:px-0"
    >
      <span role="status" className="mr-auto text-[13px] text-ink-muted">
        {status}
      </span>
      {children}
    </div>
  );
}

import type { ReactNode } from 'react';

interface FormBarProps {
  status: string;
  /** Too short-lived for screen readers to announce. */
  isPassing?: boolean;
  children: ReactNode;
}

/** The buttons of a long form, which stay in view. */
export function FormBar({ status, isPassing = false, children }: FormBarProps) {
  return (
    <div
      data-form-bar
      className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-canvas px-4 py-3 sm:mx-0 sm:px-0"
    >
      <span
        className={`mr-auto min-w-0 flex-1 basis-40 text-[13px] text-ink-muted ${status === '' ? 'max-sm:sr-only' : 'max-sm:basis-full'}`}
      >
        <span role="status">{isPassing ? '' : status}</span>
        {isPassing && <span aria-hidden>{status}</span>}
      </span>
      {children}
    </div>
  );
}

import type { ReactNode } from 'react';
import { CopyButton } from '#web/ui/CopyButton.tsx';

interface CopyRowProps {
  label?: ReactNode;
  value: string;
  copy: string;
  /** Keeps line breaks. */
  isCode?: boolean;
}

/** A value to copy into a tool. */
export function CopyRow({ label, value, copy, isCode = false }: CopyRowProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {label && <p className="text-[13px] wrap-anywhere text-ink-muted">{label}</p>}
      <p
        className={`flex gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3 ${isCode ? 'items-start' : 'items-center'}`}
      >
        <code
          className={`min-w-0 flex-1 font-mono text-[13px] wrap-anywhere ${isCode ? 'whitespace-pre-wrap' : ''}`}
        >
          {value}
        </code>
        <CopyButton value={value} label={copy} />
      </p>
    </div>
  );
}

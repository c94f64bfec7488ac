import type { ReactNode } from 'react';
import { CopyButton } from '#web/ui/CopyButton.tsx';

/** Something to take along to the tool. */
export function CopyRow({ label, value, copy }: { label?: ReactNode; value: string; copy: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {label && <p className="text-[13px] text-ink-muted">{label}</p>}
      <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3">
        <code className="min-w-0 flex-1 font-mono text-[13px] wrap-anywhere">{value}</code>
        <CopyButton value={value} label={copy} />
      </p>
    </div>
  );
}

import { CopyButton } from '#web/ui/CopyButton.tsx';

/** What a developer copies, with its button. */
export function Copied({ value, label }: { value: string; label: string }) {
  return (
    <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 font-mono text-[13px] wrap-anywhere">{value}</code>
      <CopyButton value={value} label={label} />
    </p>
  );
}

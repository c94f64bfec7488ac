/** A tool's first letter, in place of a logo. */
export function ToolMark({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-base font-semibold text-accent"
    >
      {name.charAt(0)}
    </span>
  );
}

import type { ConnectorInfo } from '#contract/integrations.ts';
import { drawingOn } from '#web/page/colour.ts';

/** A tool's logo on its colour; without one, its first letter. */
export function ToolMark({ name, logo }: Pick<ConnectorInfo, 'name' | 'logo'>) {
  const tile = 'flex size-9 shrink-0 items-center justify-center rounded-lg forced-color-adjust-none';
  if (logo === null) {
    return (
      <span aria-hidden className={`${tile} bg-accent-soft text-base font-semibold text-accent`}>
        {name.charAt(0)}
      </span>
    );
  }
  return (
    <span aria-hidden className={`${tile} border border-line`} style={{ backgroundColor: logo.colour }}>
      <svg viewBox="0 0 24 24" className="size-5" style={{ fill: drawingOn(logo.colour) }}>
        <path d={logo.path} />
      </svg>
    </span>
  );
}

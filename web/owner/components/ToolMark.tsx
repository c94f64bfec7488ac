import type { ConnectorInfo } from '#contract/integrations.ts';
import { drawingOn } from '#web/page/colour.ts';

const SIZES = {
  sm: { box: 'size-6 rounded-md text-[13px]', drawing: 'size-3.5' },
  md: { box: 'size-9 rounded-lg text-base', drawing: 'size-5' },
};

/** A tool's logo on its colour; without one, its first letter. */
export function ToolMark({
  name,
  logo,
  size = 'md',
}: Pick<ConnectorInfo, 'name' | 'logo'> & { size?: keyof typeof SIZES }) {
  const { box, drawing } = SIZES[size];
  const tile = `flex ${box} shrink-0 items-center justify-center forced-color-adjust-none`;
  if (logo === null) {
    return (
      <span aria-hidden className={`${tile} bg-accent-soft font-semibold text-accent`}>
        {name.charAt(0)}
      </span>
    );
  }
  return (
    <span aria-hidden className={`${tile} border border-line`} style={{ backgroundColor: logo.colour }}>
      <svg viewBox="0 0 24 24" className={drawing} style={{ fill: drawingOn(logo.colour) }}>
        <path d={logo.path} />
      </svg>
    </span>
  );
}

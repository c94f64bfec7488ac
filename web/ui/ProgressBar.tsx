import { Label, ProgressBar as AriaProgressBar } from 'react-aria-components';

export interface ProgressBarProps {
  label: string;
  /** 0 to 1; null where nobody knows how much there is. */
  share: number | null;
  /** How far it is, in words. */
  text?: string;
}

export function ProgressBar({ label, share, text }: ProgressBarProps) {
  return (
    <AriaProgressBar
      isIndeterminate={share === null}
      value={(share ?? 0) * 100}
      {...(text === undefined ? {} : { valueLabel: text })}
      className="flex flex-col gap-2"
    >
      {({ percentage, valueText }) => (
        <>
          <span className="flex flex-wrap justify-between gap-x-4">
            <Label className="font-medium">{label}</Label>
            <span className="text-ink-muted tabular-nums">{text ?? valueText}</span>
          </span>
          <span aria-hidden className="block h-2 overflow-hidden rounded-full bg-hover">
            <span
              className={`block h-full rounded-full bg-accent ${share === null ? 'w-1/3 animate-breathe' : 'transition-[width] duration-150'}`}
              style={share === null ? {} : { width: `${percentage ?? 0}%` }}
            />
          </span>
        </>
      )}
    </AriaProgressBar>
  );
}

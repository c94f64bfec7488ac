import type { ReactNode } from 'react';
import { moveFocusToScreen } from './move-focus.ts';

export interface EmptyStateProps {
  icon?: ReactNode;
  /** A drawing of what will stand here, in place of the icon. */
  art?: ReactNode;
  title: string;
  /** One sentence that teaches what this is for. */
  text: string;
  /** One button. */
  action?: ReactNode;
  /** One example of what will stand here. */
  example?: ReactNode;
}

export function EmptyState({ icon, art, title, text, action, example }: EmptyStateProps) {
  return (
    <section
      className={`overflow-hidden rounded-lg border border-line text-center ${art ? 'bg-surface' : 'border-dashed'}`}
    >
      {art && <ArtBand>{art}</ArtBand>}
      <div className={`flex flex-col items-center px-6 ${art ? 'pt-8 pb-10' : 'py-12'}`}>
        {icon && (
          <span
            aria-hidden
            className="mb-4 flex size-11 items-center justify-center rounded-lg bg-accent-soft text-accent [&_svg]:size-5"
          >
            {icon}
          </span>
        )}
        <h2 className={art ? 'text-lg font-semibold tracking-tight' : 'text-base font-semibold'}>{title}</h2>
        <p className="mt-1 max-w-md text-balance text-ink-muted">{text}</p>
        {action && (
          <div ref={moveFocusToScreen} className="mt-5">
            {action}
          </div>
        )}
        {example && <div className="mt-6 w-full max-w-md text-[13px] text-ink-muted">{example}</div>}
      </div>
    </section>
  );
}

/** Colour behind a drawing, and the line that its change travels on, from one end to the other. */
export function ArtBand({ children }: { children: ReactNode }) {
  return (
    <div
      aria-hidden
      className="relative flex justify-center overflow-hidden border-b border-line bg-accent-soft px-4 py-7 before:absolute before:inset-x-0 before:top-1/2 before:border-t before:border-dotted before:border-line-strong/60 before:[mask-image:linear-gradient(90deg,transparent,black_30%,black_70%,transparent)] *:relative"
    >
      {children}
    </div>
  );
}

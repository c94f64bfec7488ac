import { createContext, type ReactNode, type Ref } from 'react';

/** Whether a part stands in a card, and needs no frame of its own. */
export const InCard = createContext(false);

export interface CardProps {
  /** At the very top, from border to border. */
  art?: ReactNode;
  title?: string;
  /** Makes the title focusable, for a card that takes the place of a pressed button. */
  titleRef?: Ref<HTMLHeadingElement>;
  description?: ReactNode;
  action?: ReactNode;
  footer?: ReactNode;
  children?: ReactNode;
  /** False lets rows run to the border. */
  isPadded?: boolean;
}

export function Card({
  art,
  title,
  titleRef,
  description,
  action,
  footer,
  children,
  isPadded = true,
}: CardProps) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface">
      {art}
      {title && (
        <header
          className={`flex flex-wrap items-start justify-between gap-3 px-5 pt-4 ${isPadded ? '' : 'pb-4'}`}
        >
          <div className="min-w-0 flex-1 basis-60">
            <h2 ref={titleRef} tabIndex={titleRef ? -1 : undefined} className="font-semibold outline-none">
              {title}
            </h2>
            {description && <p className="mt-0.5 text-[13px] text-ink-muted">{description}</p>}
          </div>
          {action}
        </header>
      )}
      {children && (
        <div className={isPadded ? 'p-5' : title ? 'border-t border-line' : ''}>
          <InCard value={true}>{children}</InCard>
        </div>
      )}
      {footer && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
      )}
    </section>
  );
}

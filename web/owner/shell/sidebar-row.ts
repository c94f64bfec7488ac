export const ROW =
  'flex min-h-9 items-center gap-3 rounded-lg px-3 py-1.5 font-medium text-ink-muted no-underline transition-colors duration-100 hover:bg-hover hover:text-ink pointer-coarse:min-h-11 [&_svg]:size-4.5 [&_svg]:shrink-0';

/** A row that leads to a screen, and is marked while that screen is shown. */
export const ENTRY = `${ROW} aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent`;

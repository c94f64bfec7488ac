import { ChevronDown } from 'lucide-react';

/** What every select looks like while it is closed, its outline included. */
export const SELECT_BOX = 'field-box flex items-center justify-between gap-2 text-left';

/** A select with its label above and its messages below. */
export const SELECT_COLUMN = 'flex min-w-0 flex-col gap-1.5';

export const SelectChevron = () => <ChevronDown size={16} aria-hidden className="shrink-0 text-ink-muted" />;

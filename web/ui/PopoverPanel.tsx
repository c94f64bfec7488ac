import type { ReactNode } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';

/** Fields beside the button that opens them; a dialog that leaves the screen behind it in view. */
export function PopoverPanel({
  trigger,
  label,
  children,
}: {
  trigger: ReactNode;
  label: string;
  children: ReactNode;
}) {
  return (
    <DialogTrigger>
      {trigger}
      <Popover
        placement="bottom end"
        className="w-80 max-w-[calc(100vw-2rem)] animate-fade overflow-y-auto rounded-lg border border-line bg-raised shadow-lift outline-none"
      >
        <Dialog aria-label={label} className="flex flex-col gap-4 p-4 outline-none">
          {children}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

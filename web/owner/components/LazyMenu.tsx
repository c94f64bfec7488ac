import { type ComponentType, type ReactNode, type RefObject, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { reportUnreachable } from '../api/reachability.ts';

export interface LazyLayerProps {
  triggerRef: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

interface LazyMenuProps {
  /** For a button whose content does not name it. */
  label?: string;
  className: string;
  children: ReactNode;
  load: () => Promise<ComponentType<LazyLayerProps>>;
}

/** A button whose menu loads on hover or focus: menus are not part of the first load. */
export function LazyMenu({ label, className, children, load }: LazyMenuProps) {
  const triggerRef = useRef<HTMLButtonElement>(null);
  const [Layer, setLayer] = useState<ComponentType<LazyLayerProps> | null>(null);
  const [isOpen, setIsOpen] = useState(false);

  function prepare() {
    load().catch(() => null);
  }

  async function open() {
    try {
      const loaded = await load();
      setLayer(() => loaded);
      setIsOpen(true);
    } catch {
      reportUnreachable();
    }
  }

  return (
    <>
      <Button
        ref={triggerRef}
        {...(label === undefined ? {} : { 'aria-label': label })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onHoverStart={prepare}
        onFocus={prepare}
        onPress={() => void open()}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') void open();
          else event.continuePropagation();
        }}
        className={className}
      >
        {children}
      </Button>
      {Layer && <Layer triggerRef={triggerRef} isOpen={isOpen} onOpenChange={setIsOpen} />}
    </>
  );
}
